//! Constant expressions, evaluated as they are read.

use super::cursor::{Cursor, Parsed};
use crate::ir::{Imm, ScalarType};
use crate::lex::{Punct, Tok};

/// Deepest nesting of parentheses and unary operators: bounds the stack a hostile source can use.
const MAX_DEPTH: u32 = 64;

/// Threads per warp, for `WARP_SZ`.
const WARP_SIZE: i64 = 32;

/// A value while it is computed. Integers have 64 bits; the rules are those of C.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
    /// An exact single; takes no part in arithmetic.
    Single(u32),
}

impl From<Value> for Imm {
    fn from(value: Value) -> Imm {
        match value {
            Value::Signed(v) => Imm::Int(v),
            Value::Unsigned(v) => Imm::Int(v as i64),
            Value::Double(v) => Imm::F64(v.to_bits()),
            Value::Single(bits) => Imm::F32(bits),
        }
    }
}

impl<'s> Cursor<'s> {
    /// Whether a constant may start here.
    pub(super) fn at_constant(&self) -> bool {
        use Punct::*;
        match self.tok() {
            Tok::Int { .. } | Tok::Single(_) | Tok::Double(_) | Tok::Word("WARP_SZ") => true,
            Tok::Punct(punct) => matches!(punct, Plus | Minus | Tilde | Bang | OpenParen),
            _ => false,
        }
    }

    /// A constant expression.
    pub(super) fn constant(&mut self) -> Parsed<Imm> {
        Ok(self.ternary(0)?.into())
    }

    /// A constant expression that is an integer.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        let loc = self.loc();
        match self.constant()? {
            Imm::Int(value) => Ok(value),
            _ => Err(crate::Diagnostic::new(loc, "expected an integer, found a floating-point constant")),
        }
    }

    fn ternary(&mut self, depth: u32) -> Parsed<Value> {
        let condition = self.binary(0, depth)?;
        if !self.eat(Punct::Question) {
            return Ok(condition);
        }
        if depth >= MAX_DEPTH {
            return Err(self.error("the expression is nested too deeply"));
        }
        let then = self.ternary(depth + 1)?;
        self.expect(Punct::Colon)?;
        let other = self.ternary(depth + 1)?;
        let truth = self.truth(condition)?;
        Ok(if truth { then } else { other })
    }

    /// Operators of at least this precedence, left to right.
    fn binary(&mut self, least: u8, depth: u32) -> Parsed<Value> {
        let mut left = self.unary(depth)?;
        while let Tok::Punct(operator) = self.tok() {
            let Some(precedence) = precedence(operator).filter(|p| *p >= least) else { break };
            let loc = self.loc();
            self.advance();
            let right = self.binary(precedence + 1, depth)?;
            left = apply(operator, left, right).map_err(|why| crate::Diagnostic::new(loc, why))?;
        }
        Ok(left)
    }

    fn unary(&mut self, depth: u32) -> Parsed<Value> {
        if depth >= MAX_DEPTH {
            return Err(self.error("the expression is nested too deeply"));
        }
        let token = self.advance();
        let wrong =
            || Err(crate::Diagnostic::new(token.loc, format!("expected a constant, found {}", token.tok)));
        match token.tok {
            Tok::Int { value, unsigned: true } => Ok(Value::Unsigned(value)),
            Tok::Int { value, unsigned: false } => Ok(Value::Signed(value as i64)),
            Tok::Double(bits) => Ok(Value::Double(f64::from_bits(bits))),
            Tok::Single(bits) => Ok(Value::Single(bits)),
            Tok::Word("WARP_SZ") => Ok(Value::Signed(WARP_SIZE)),
            Tok::Punct(Punct::Plus) => self.unary(depth + 1),
            Tok::Punct(Punct::Minus) => match self.unary(depth + 1)? {
                Value::Signed(v) => Ok(Value::Signed(v.wrapping_neg())),
                Value::Unsigned(v) => Ok(Value::Unsigned(v.wrapping_neg())),
                Value::Double(v) => Ok(Value::Double(-v)),
                Value::Single(bits) => Ok(Value::Single(bits ^ 1 << 31)),
            },
            Tok::Punct(Punct::Tilde) => match self.unary(depth + 1)? {
                Value::Signed(v) => Ok(Value::Signed(!v)),
                Value::Unsigned(v) => Ok(Value::Unsigned(!v)),
                _ => wrong(),
            },
            Tok::Punct(Punct::Bang) => {
                let value = self.unary(depth + 1)?;
                Ok(Value::Signed(i64::from(!self.truth(value)?)))
            }
            Tok::Punct(Punct::OpenParen) => match self.tok() {
                Tok::Dot(ty) => {
                    self.advance();
                    self.expect(Punct::CloseParen)?;
                    let value = self.unary(depth + 1)?;
                    cast(ScalarType::from_word(ty), value).map_or_else(wrong, Ok)
                }
                _ => {
                    let value = self.ternary(depth + 1)?;
                    self.expect(Punct::CloseParen)?;
                    Ok(value)
                }
            },
            _ => wrong(),
        }
    }

    fn truth(&self, value: Value) -> Parsed<bool> {
        match value {
            Value::Signed(v) => Ok(v != 0),
            Value::Unsigned(v) => Ok(v != 0),
            Value::Double(v) => Ok(v != 0.0),
            Value::Single(_) => Err(self.error("an exact single cannot be used as a condition")),
        }
    }
}

fn cast(ty: Option<ScalarType>, value: Value) -> Option<Value> {
    match (ty?, value) {
        (ScalarType::S64, Value::Unsigned(v)) => Some(Value::Signed(v as i64)),
        (ScalarType::U64, Value::Signed(v)) => Some(Value::Unsigned(v as u64)),
        (ScalarType::S64, Value::Signed(_)) | (ScalarType::U64, Value::Unsigned(_)) => Some(value),
        _ => None,
    }
}

fn precedence(operator: Punct) -> Option<u8> {
    use Punct::*;
    Some(match operator {
        OrOr => 0,
        AndAnd => 1,
        Pipe => 2,
        Caret => 3,
        Amp => 4,
        Equal | NotEqual => 5,
        Less | LessEq | Greater | GreaterEq => 6,
        ShiftLeft | ShiftRight => 7,
        Plus | Minus => 8,
        Star | Slash | Percent => 9,
        _ => return None,
    })
}

/// `left operator right`. Mixed signs compute unsigned, an integer next to a double becomes one.
fn apply(operator: Punct, left: Value, right: Value) -> Result<Value, &'static str> {
    use Punct::*;
    use Value::*;
    match (operator, left, right) {
        (ShiftLeft | ShiftRight, ..) => shift(operator, left, right),
        (_, Signed(a), Signed(b)) => signed(operator, a, b),
        (_, Signed(a), Unsigned(b)) => unsigned(operator, a as u64, b),
        (_, Unsigned(a), Signed(b)) => unsigned(operator, a, b as u64),
        (_, Unsigned(a), Unsigned(b)) => unsigned(operator, a, b),
        (_, Double(a), Double(b)) => double(operator, a, b),
        (_, Double(a), Signed(b)) => double(operator, a, b as f64),
        (_, Double(a), Unsigned(b)) => double(operator, a, b as f64),
        (_, Signed(a), Double(b)) => double(operator, a as f64, b),
        (_, Unsigned(a), Double(b)) => double(operator, a as f64, b),
        (_, Single(_), _) | (_, _, Single(_)) => Err("an exact single cannot be used in an expression"),
    }
}

const ZERO_DIVISOR: &str = "division by zero in a constant expression";

fn signed(operator: Punct, a: i64, b: i64) -> Result<Value, &'static str> {
    use Punct::*;
    let value = match operator {
        Plus => a.wrapping_add(b),
        Minus => a.wrapping_sub(b),
        Star => a.wrapping_mul(b),
        Slash | Percent if b == 0 => return Err(ZERO_DIVISOR),
        Slash => a.wrapping_div(b),
        Percent => a.wrapping_rem(b),
        Amp => a & b,
        Pipe => a | b,
        Caret => a ^ b,
        _ => return compare(operator, a, b),
    };
    Ok(Value::Signed(value))
}

fn unsigned(operator: Punct, a: u64, b: u64) -> Result<Value, &'static str> {
    use Punct::*;
    let value = match operator {
        Plus => a.wrapping_add(b),
        Minus => a.wrapping_sub(b),
        Star => a.wrapping_mul(b),
        Slash | Percent if b == 0 => return Err(ZERO_DIVISOR),
        Slash => a / b,
        Percent => a % b,
        Amp => a & b,
        Pipe => a | b,
        Caret => a ^ b,
        _ => return compare(operator, a, b),
    };
    Ok(Value::Unsigned(value))
}

fn double(operator: Punct, a: f64, b: f64) -> Result<Value, &'static str> {
    use Punct::*;
    let value = match operator {
        Plus => a + b,
        Minus => a - b,
        Star => a * b,
        Slash => a / b,
        _ => return compare(operator, a, b),
    };
    Ok(Value::Double(value))
}

fn compare<T: PartialOrd + Default>(operator: Punct, a: T, b: T) -> Result<Value, &'static str> {
    use Punct::*;
    let truth = match operator {
        Equal => a == b,
        NotEqual => a != b,
        Less => a < b,
        LessEq => a <= b,
        Greater => a > b,
        GreaterEq => a >= b,
        AndAnd => a != T::default() && b != T::default(),
        OrOr => a != T::default() || b != T::default(),
        _ => return Err("this operator needs integers"),
    };
    Ok(Value::Signed(i64::from(truth)))
}

fn shift(operator: Punct, value: Value, amount: Value) -> Result<Value, &'static str> {
    let amount = match amount {
        Value::Signed(n) => n as u64,
        Value::Unsigned(n) => n,
        _ => return Err("this operator needs integers"),
    };
    let amount = u32::try_from(amount).ok().filter(|n| *n < 64).ok_or("shift amount out of range")?;
    match (value, operator) {
        (Value::Signed(v), Punct::ShiftLeft) => Ok(Value::Signed(v << amount)),
        (Value::Signed(v), _) => Ok(Value::Signed(v >> amount)),
        (Value::Unsigned(v), Punct::ShiftLeft) => Ok(Value::Unsigned(v << amount)),
        (Value::Unsigned(v), _) => Ok(Value::Unsigned(v >> amount)),
        _ => Err("this operator needs integers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Result<Imm, String> {
        Cursor::new(text).constant().map_err(|d| d.message)
    }

    #[test]
    fn arithmetic_follows_c() {
        for (text, value) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("-7/2", -3),
            ("1 ? 2 : 3", 2),
            ("0 || 5 && 2", 1),
            ("1 << 4 | 1", 17),
            ("~0", -1),
            ("!5", 0),
            ("-1 < 0", 1),
            ("-1 < 0U", 0),
            ("(.s64) 5U - 6 < 0", 1),
            ("WARP_SZ * 2", 64),
            ("0xFFFFFFFFFFFFFFFF", -1),
            ("-8 >> 1", -4),
        ] {
            assert_eq!(eval(text), Ok(Imm::Int(value)), "{text}");
        }
        assert_eq!(eval("1.0 + 2"), Ok(Imm::F64(3.0f64.to_bits())));
        assert_eq!(eval("-0f3F800000"), Ok(Imm::F32(0xbf80_0000)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["1/0", "5 % 0", "1 << 64", "0f3F800000 + 1", "~1.0", "(.f32) 1", "1.0 % 2.0", "", "(1", "x"]
        {
            assert!(eval(text).is_err(), "{text}");
        }
        assert!(eval(&"(".repeat(100_000)).is_err());
        assert!(eval(&"-".repeat(100_000)).is_err());
        assert!(eval(&"1?".repeat(100_000)).is_err());
    }
}
