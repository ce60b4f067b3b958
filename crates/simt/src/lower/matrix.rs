//! `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use super::builder::{Builder, Result, class_of};
use super::proto::{Arg, Class, Extra, MatrixProto, Value};
use crate::detail::Product;
use crate::fragment::{Elements, Tile};
use crate::isa_unsafe::select;
use crate::mma::{Accumulators, BitOp, Element, Layout as Order, Mma, Operand as Factor, Sum};
use crate::num::Round;
use crate::op::Run;
use crate::ops::matrix;
use crate::window;
use cleave_ptx::ir::{self, Fragment, Layout, Opcode, Operand, Rounding, ScalarType, Shape, Space};

impl Builder<'_> {
    pub fn matrix(&mut self) -> Result<()> {
        match self.inst.opcode {
            Opcode::Mma | Opcode::WmmaMma => self.multiply(),
            Opcode::Ldmatrix => self.matrix_move(false),
            Opcode::Stmatrix => self.matrix_move(true),
            Opcode::Movmatrix => {
                let a = self.source(1, ScalarType::B32)?;
                let d = self.dest(0, ScalarType::B32)?;
                let args = [Arg::Raw(0), Arg::Use(a), self.def(d)];
                self.emit_plain(matrix::transpose, &args, 0);
                Ok(())
            }
            _ => self.fragment(),
        }
    }

    fn registers(&mut self, k: usize, ty: ScalarType, write: bool) -> Result<Vec<Arg>> {
        let operands = match self.operand(k)? {
            Operand::Vector(list) => list.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut args = Vec::new();
        for operand in operands {
            args.push(if write {
                let d = self.dest_of(operand, ty)?;
                self.def(d)
            } else {
                Arg::Use(self.value_of(operand, ty)?)
            });
        }
        Ok(args)
    }

    fn multiply(&mut self) -> Result<()> {
        let types = self.inst.types;
        // `wmma` of f16 names only the types of D and C.
        let (d_type, a_type, b_type, c_type) = match types[..] {
            [d, a, b, c] => (d, a, b, c),
            [d, c] => (d, ScalarType::F16, ScalarType::F16, c),
            _ => return self.unsupported(),
        };
        let double = d_type == ScalarType::F64;
        let row = if double { ScalarType::F64 } else { ScalarType::B32 };
        let a = self.registers(1, row, false)?;
        let b = self.registers(2, row, false)?;
        let c = self.registers(3, row, false)?;
        let d = self.registers(0, row, true)?;
        if [&a, &b, &c, &d].iter().any(|list| list.len() > 8) {
            return self.unsupported();
        }
        let (product, run) = self.product(d_type, a_type, b_type, c_type)?;
        self.emit(run, &[], 0).extra = Extra::Matrix(MatrixProto::Multiply { product, a, b, c, d });
        Ok(())
    }

    fn product(&self, d: ScalarType, a: ScalarType, b: ScalarType, c: ScalarType) -> Result<(Product, Run)> {
        let m = &self.inst.mods;
        let Some(shape) = m.shape.and_then(size) else { return self.unsupported() };
        if d == ScalarType::F64 {
            let round = match m.rounding {
                None | Some(Rounding::Rn) => Round::Nearest,
                Some(Rounding::Rz) => Round::Zero,
                Some(Rounding::Rm) => Round::Down,
                Some(Rounding::Rp) => Round::Up,
                _ => return self.unsupported(),
            };
            return Ok((Product::Double { shape, round }, matrix::multiply_double));
        }
        let (Some(c), Some(d)) = (sum(c), sum(d)) else { return self.unsupported() };
        let (Some(a), Some(b)) = (element(a), element(b)) else { return self.unsupported() };
        if shape == (8, 8, 4) {
            let order = |layout| if layout == Some(Layout::Col) { Order::Col } else { Order::Row };
            let product = Product::Quad { a_layout: order(m.a_layout), b_layout: order(m.b_layout), c, d };
            return Ok((product, matrix::multiply_any));
        }
        let bits = if m.bit_op == Some(ir::BitOp::And) { BitOp::And } else { BitOp::Xor };
        let (m, n, k) = shape;
        let saturate = self.inst.mods.satfinite && d == Sum::S32;
        let mma = Mma { m, n, k, a, b, c, d, saturate, bits };
        // Asked once here, so that a shape nobody knows is an error and not a wrong result.
        if !mma.apply(&[], &[], &[], &mut []) {
            return self.unsupported();
        }
        let run: Run = match matrix::HOT.iter().position(|hot| *hot == Mma { bits: BitOp::Xor, ..mma }) {
            Some(0) => select::<matrix::Multiply<0>>(self.isa),
            Some(1) => select::<matrix::Multiply<1>>(self.isa),
            Some(2) => select::<matrix::Multiply<2>>(self.isa),
            Some(3) => select::<matrix::Multiply<3>>(self.isa),
            Some(4) => select::<matrix::Multiply<4>>(self.isa),
            Some(5) => select::<matrix::Multiply<5>>(self.isa),
            Some(6) => select::<matrix::Multiply<6>>(self.isa),
            Some(7) => select::<matrix::Multiply<7>>(self.isa),
            _ => matrix::multiply_any,
        };
        Ok((Product::Common(mma), run))
    }

    /// Row of generic addresses and offset of a matrix operand in shared (or any) memory.
    fn matrix_address(&mut self, k: usize) -> Result<(Value, u64)> {
        let Operand::Address(address) = self.operand(k)? else { return self.unsupported() };
        let target = self.target(address, self.inst.mods.space)?;
        let row = self.fit(target.row, Class::Wide);
        let window = if self.inst.mods.space == Some(Space::Shared) { window::SHARED } else { 0 };
        Ok((row, target.offset.wrapping_add(window)))
    }

    fn matrix_move(&mut self, store: bool) -> Result<()> {
        let (at, data) = if store { (0, 1) } else { (1, 0) };
        let (row, offset) = self.matrix_address(at)?;
        let registers = self.registers(data, ScalarType::B32, !store)?;
        if registers.len() > 4 {
            return self.unsupported();
        }
        self.cost.shared(4 * registers.len() as u32);
        let raw = Arg::Raw(0);
        let site = Arg::Raw(self.site(row));
        let args = [raw, raw, raw, raw, Arg::Use(row), site];
        let run = if store { matrix::store } else { matrix::load };
        let transposed = self.inst.mods.trans;
        self.emit_plain(run, &args, offset).extra =
            Extra::Matrix(MatrixProto::Move { registers, transposed });
        Ok(())
    }

    /// `wmma.load` and `wmma.store`.
    fn fragment(&mut self) -> Result<()> {
        let ty = self.ty()?;
        let store = self.inst.opcode == Opcode::WmmaStore;
        let (at, data) = if store { (0, 1) } else { (1, 0) };
        let mods = self.inst.mods;
        let (Some(which), Some((m, n, k))) = (mods.fragment, mods.shape.and_then(size)) else {
            return self.unsupported();
        };
        let by_row = mods.a_layout == Some(Layout::Row);
        let bits = if ty == ScalarType::Tf32 { 32 } else { ty.bits() };
        let per = (32 / bits.min(32)) as usize;
        let (tile, along, default_stride) = match which {
            Fragment::A => (Tile::Factor(Factor::a(m, k, per)), by_row, if by_row { k } else { m }),
            Fragment::B => (Tile::Factor(Factor::b(n, k, per)), !by_row, if by_row { n } else { k }),
            _ => (Tile::Sum(Accumulators { m, n }), by_row, if by_row { n } else { m }),
        };
        let (row, offset) = self.matrix_address(at)?;
        let registers = self.registers(data, if ty.bits() == 64 { ty } else { ScalarType::B32 }, !store)?;
        let stride = match self.inst.operands.len() {
            3 => self.source(2, ScalarType::U32)?,
            _ => self.constant(false, default_stride as u64),
        };
        let raw = Arg::Raw(0);
        let site = Arg::Raw(self.site(row));
        let args = [raw, raw, raw, Arg::Use(stride), Arg::Use(row), site];
        let run = if store { matrix::fragment::<true> } else { matrix::fragment::<false> };
        let wide = class_of(ty.bits()) == Class::Wide;
        let elements = Elements { tile, bits, along };
        self.cost.global(4 * registers.len() as u32);
        self.emit_plain(run, &args, offset).extra =
            Extra::Matrix(MatrixProto::Fragment { registers, wide, elements });
        Ok(())
    }
}

fn element(ty: ScalarType) -> Option<Element> {
    Some(match ty {
        ScalarType::F16 => Element::F16,
        ScalarType::Bf16 => Element::BF16,
        ScalarType::Tf32 => Element::TF32,
        ScalarType::E4m3 => Element::E4M3,
        ScalarType::E5m2 => Element::E5M2,
        ScalarType::S8 => Element::S8,
        ScalarType::U8 => Element::U8,
        ScalarType::S4 => Element::S4,
        ScalarType::U4 => Element::U4,
        ScalarType::B1 => Element::B1,
        _ => return None,
    })
}

fn sum(ty: ScalarType) -> Option<Sum> {
    Some(match ty {
        ScalarType::F16 => Sum::F16,
        ScalarType::F32 => Sum::F32,
        ScalarType::S32 => Sum::S32,
        _ => return None,
    })
}

fn size(shape: Shape) -> Option<(usize, usize, usize)> {
    Some(match shape {
        Shape::M8n8 => return None,
        Shape::M8n8k4 => (8, 8, 4),
        Shape::M8n8k16 => (8, 8, 16),
        Shape::M8n8k32 => (8, 8, 32),
        Shape::M8n8k128 => (8, 8, 128),
        Shape::M8n32k16 => (8, 32, 16),
        Shape::M16n8k4 => (16, 8, 4),
        Shape::M16n8k8 => (16, 8, 8),
        Shape::M16n8k16 => (16, 8, 16),
        Shape::M16n8k32 => (16, 8, 32),
        Shape::M16n8k64 => (16, 8, 64),
        Shape::M16n8k128 => (16, 8, 128),
        Shape::M16n8k256 => (16, 8, 256),
        Shape::M16n16k8 => (16, 16, 8),
        Shape::M16n16k16 => (16, 16, 16),
        Shape::M32n8k16 => (32, 8, 16),
    })
}
