//! Sizes, alignments and offsets: how declared things lie in memory.

use crate::ir::{Function, Param, ScalarType, Variable};

/// Size of an array of `element`-byte elements; an unsized first dimension counts as 0.
fn array_size(element: u64, dims: &[u64]) -> u64 {
    dims.iter().fold(element, |size, dim| size.saturating_mul(*dim))
}

/// Alignment of a declaration: as written, else that of one element (a whole vector for vectors).
fn alignment(written: Option<u32>, element: u64) -> u64 {
    let natural = element.max(1).next_power_of_two();
    written.map_or(natural, u64::from).max(1)
}

fn element_size(ty: ScalarType, lanes: u8) -> u64 {
    u64::from(ty.bytes()) * u64::from(lanes)
}

impl Variable {
    /// Bytes of one element: a scalar, or a whole vector.
    pub fn element_size(&self) -> u64 {
        element_size(self.ty, self.lanes)
    }

    /// Bytes of the whole variable; 0 for an unsized array.
    pub fn size(&self) -> u64 {
        array_size(self.element_size(), &self.dims)
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u64 {
        alignment(self.align, self.element_size())
    }

    /// The initial bytes of the whole variable. Relocated places are zero: see [`Init::relocs`](crate::ir::Init).
    pub fn initial_bytes(&self) -> Vec<u8> {
        let mut bytes = self.init.as_ref().map(|init| init.bytes.clone()).unwrap_or_default();
        bytes.resize(usize::try_from(self.size()).unwrap_or(usize::MAX), 0);
        bytes
    }
}

impl Param {
    /// Bytes of one element: a scalar, or a whole vector.
    pub fn element_size(&self) -> u64 {
        element_size(self.ty, self.lanes)
    }

    /// Bytes of the whole parameter; 0 for an unsized array.
    pub fn size(&self) -> u64 {
        array_size(self.element_size(), &self.dims)
    }

    /// Alignment in bytes.
    pub fn alignment(&self) -> u64 {
        alignment(self.align, self.element_size())
    }
}

/// Where a parameter lies in the parameter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub size: u64,
    pub align: u64,
}

/// Lays parameters out one after the other, each at its alignment. Gives the places and the bytes used.
pub fn params(params: &[Param]) -> (Vec<Place>, u64) {
    let mut end = 0u64;
    let mut places = Vec::with_capacity(params.len());
    for param in params {
        let (size, align) = (param.size(), param.alignment());
        let offset = end.next_multiple_of(align);
        places.push(Place { offset, size, align });
        end = offset.saturating_add(size);
    }
    (places, end)
}

impl Function {
    /// Layout of the parameters: for a kernel, of its argument buffer.
    pub fn param_layout(&self) -> (Vec<Place>, u64) {
        params(&self.params)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn parameters_lie_at_their_alignment() {
        let source = ".version 7.0\n.target sm_80\n.address_size 64\n\
            .entry k(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .v2 .f32 d, .param .u16 e) { ret; }";
        let module = crate::parse(source).unwrap();
        let (places, size) = module.functions[0].param_layout();
        let offsets: Vec<u64> = places.iter().map(|p| p.offset).collect();
        assert_eq!(offsets, [0, 8, 16, 40, 48]);
        assert_eq!(size, 50);
    }

    #[test]
    fn variables_have_size_alignment_and_bytes() {
        let source = ".version 7.0\n.target sm_80\n.address_size 64\n\
            .global .u16 a[2][3] = {{1, 2}, {3}};\n.global .align 64 .v4 .f32 b;\n.extern .shared .b8 c[];";
        let module = crate::parse(source).unwrap();
        let [a, b, c] = &module.variables[..] else { panic!() };
        assert_eq!((a.size(), a.alignment()), (12, 2));
        assert_eq!(a.initial_bytes(), [1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
        assert_eq!((b.size(), b.alignment()), (16, 64));
        assert_eq!((c.size(), c.alignment()), (0, 1));
    }
}
