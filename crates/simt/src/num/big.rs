//! Whole numbers of any size: the yardstick that tests hold arithmetic against. Independent of `exact` on purpose.

use std::cmp::Ordering;

/// Every finite f64 is a whole number of these many binary places.
pub const PLACES: usize = 1074;

#[derive(Clone, Debug)]
pub struct Big {
    negative: bool,
    /// Lowest word first.
    words: Vec<u32>,
}

impl Big {
    /// `x × 2^PLACES`.
    pub fn from_f64(x: f64) -> Big {
        let bits = x.to_bits();
        let stored = (bits >> 52 & 0x7ff) as usize;
        let fraction = bits & ((1 << 52) - 1);
        let (mantissa, shift) = if stored == 0 { (fraction, 0) } else { (fraction | 1 << 52, stored - 1) };
        Big { negative: x.is_sign_negative(), words: vec![mantissa as u32, (mantissa >> 32) as u32] }
            .shl(shift)
    }

    pub fn shl(&self, by: usize) -> Big {
        let mut words = vec![0; by / 32];
        let mut carry = 0u64;
        for &word in &self.words {
            carry |= u64::from(word) << (by % 32);
            words.push(carry as u32);
            carry >>= 32;
        }
        words.push(carry as u32);
        Big { negative: self.negative, words }
    }

    pub fn mul(&self, other: &Big) -> Big {
        let mut words = vec![0u32; self.words.len() + other.words.len()];
        for (i, &a) in self.words.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &b) in other.words.iter().enumerate() {
                carry += u64::from(words[i + j]) + u64::from(a) * u64::from(b);
                words[i + j] = carry as u32;
                carry >>= 32;
            }
            words[i + other.words.len()] = carry as u32;
        }
        Big { negative: self.negative != other.negative, words }
    }

    pub fn add(&self, other: &Big) -> Big {
        if self.negative == other.negative {
            let mut words = Vec::new();
            let mut carry = 0u64;
            for i in 0..self.words.len().max(other.words.len()) + 1 {
                carry += u64::from(self.word(i)) + u64::from(other.word(i));
                words.push(carry as u32);
                carry >>= 32;
            }
            return Big { negative: self.negative, words };
        }
        let (large, small) =
            if self.cmp_magnitude(other) == Ordering::Less { (other, self) } else { (self, other) };
        let mut words = Vec::new();
        let mut borrow = 0i64;
        for i in 0..large.words.len() {
            borrow += i64::from(large.word(i)) - i64::from(small.word(i));
            words.push(borrow as u32);
            borrow >>= 32;
        }
        Big { negative: large.negative, words }
    }

    pub fn neg(&self) -> Big {
        Big { negative: !self.negative, words: self.words.clone() }
    }

    pub fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn cmp(&self, other: &Big) -> Ordering {
        match (self.negative && !self.is_zero(), other.negative && !other.is_zero()) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }

    fn word(&self, i: usize) -> u32 {
        self.words.get(i).copied().unwrap_or(0)
    }

    fn cmp_magnitude(&self, other: &Big) -> Ordering {
        (0..self.words.len().max(other.words.len()))
            .rev()
            .map(|i| self.word(i).cmp(&other.word(i)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}
