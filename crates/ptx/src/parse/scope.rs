//! Names inside a function: nested scopes, register ranges, labels that are used before they are defined.

use std::collections::{HashMap, HashSet};

use super::cursor::Parsed;
use super::init::Global;
use crate::Diagnostic;
use crate::ir::{
    BranchTargetsId, CallTargetsId, Label, LabelId, Loc, LocalId, Name, ParamId, ProtoId, RegDecl, RegId,
    ScalarType, VarId,
};

/// What a name inside a function stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Reg(RegId),
    /// A vector register: this many scalar registers from `first` on.
    Vector {
        first: RegId,
        lanes: u8,
    },
    Local(LocalId),
    Param(ParamId),
    Return(ParamId),
    /// A `.global` or `.const` variable that was moved to the module.
    Moved(VarId),
    Prototype(ProtoId),
    CallTargets(CallTargetsId),
    BranchTargets(BranchTargetsId),
}

/// `%r<100>`: registers that come into being when they are used.
struct Range<'s> {
    stem: &'s str,
    count: u32,
    ty: ScalarType,
    lanes: u8,
    depth: usize,
}

#[derive(Default)]
struct Frame<'s> {
    /// Names declared in this scope, with what they meant outside.
    shadowed: Vec<(&'s str, Option<(Entry, usize)>)>,
    labels: HashMap<&'s str, LabelId>,
    /// Indices into `uses` that are still to be resolved.
    uses: Vec<usize>,
    first_range: usize,
}

struct LabelUse<'s> {
    name: &'s str,
    loc: Loc,
    label: Option<LabelId>,
}

/// The names of one function. Everything that is declared gets a name that is unique in the function and differs from
/// all module-scope names, so that the body stays right when scopes are flattened.
pub(super) struct Scopes<'a, 's> {
    globals: &'a HashMap<&'s str, Global>,
    names: HashMap<&'s str, (Entry, usize)>,
    ranges: Vec<Range<'s>>,
    frames: Vec<Frame<'s>>,
    uses: Vec<LabelUse<'s>>,
    /// Names given out, with the suffix to try next.
    given: HashMap<&'s str, u32>,
    renamed: HashSet<Name>,
    pub regs: Vec<RegDecl>,
    pub labels: Vec<Label>,
}

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
const COLOURS: [&str; 4] = ["r", "g", "b", "a"];

impl<'a, 's> Scopes<'a, 's> {
    pub(super) fn new(globals: &'a HashMap<&'s str, Global>) -> Scopes<'a, 's> {
        Scopes {
            globals,
            names: HashMap::new(),
            ranges: Vec::new(),
            frames: vec![Frame::default()],
            uses: Vec::new(),
            given: HashMap::new(),
            renamed: HashSet::new(),
            regs: Vec::new(),
            labels: Vec::new(),
        }
    }

    /// How many scopes are open; the function's own counts as one.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn open(&mut self) {
        self.frames.push(Frame { first_range: self.ranges.len(), ..Frame::default() });
    }

    /// Closes the innermost scope: its names are forgotten, its labels bound.
    pub(super) fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.ranges.truncate(frame.first_range);
        for (name, outer) in frame.shadowed.into_iter().rev() {
            match outer {
                Some(entry) => self.names.insert(name, entry),
                None => self.names.remove(name),
            };
        }
        for index in frame.uses {
            let label_use = &mut self.uses[index];
            match (frame.labels.get(label_use.name), self.frames.last_mut()) {
                (Some(label), _) => label_use.label = Some(*label),
                (None, Some(outer)) => outer.uses.push(index),
                (None, None) => {}
            }
        }
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &'s str, entry: Entry, loc: Loc) -> Parsed<()> {
        let depth = self.depth();
        let duplicate = self.names.get(name).is_some_and(|(_, at)| *at == depth)
            || self.ranges.iter().any(|range| range.depth == depth && range.holds(name));
        if duplicate {
            return Err(Diagnostic::new(loc, format!("`{name}` is declared twice")));
        }
        self.bind(name, entry, depth);
        Ok(())
    }

    fn bind(&mut self, name: &'s str, entry: Entry, depth: usize) {
        let outer = self.names.insert(name, (entry, depth));
        self.frames[depth - 1].shadowed.push((name, outer));
    }

    /// Declares a register, scalar or vector.
    pub(super) fn declare_reg(
        &mut self,
        name: &'s str,
        ty: ScalarType,
        lanes: u8,
        loc: Loc,
    ) -> Parsed<Entry> {
        let entry = self.new_reg(name, ty, lanes);
        self.declare(name, entry, loc)?;
        Ok(entry)
    }

    /// Declares `stem<count>`.
    pub(super) fn declare_range(
        &mut self,
        stem: &'s str,
        count: u32,
        ty: ScalarType,
        lanes: u8,
        loc: Loc,
    ) -> Parsed<()> {
        let depth = self.depth();
        if self.ranges.iter().any(|range| range.depth == depth && range.stem == stem) {
            return Err(Diagnostic::new(loc, format!("`{stem}` is declared twice")));
        }
        self.ranges.push(Range { stem, count, ty, lanes, depth });
        Ok(())
    }

    fn new_reg(&mut self, name: &'s str, ty: ScalarType, lanes: u8) -> Entry {
        let first = RegId(self.regs.len() as u32);
        if lanes == 1 {
            let name = self.unique(name);
            self.regs.push(RegDecl { name, ty });
            return Entry::Reg(first);
        }
        for component in &COMPONENTS[..usize::from(lanes)] {
            let name = self.unique_owned(format!("{name}${component}"));
            self.regs.push(RegDecl { name, ty });
        }
        Entry::Vector { first, lanes }
    }

    /// What `name` stands for. A register of a range comes into being here.
    pub(super) fn lookup(&mut self, name: &'s str) -> Option<Entry> {
        if let Some((entry, _)) = self.names.get(name) {
            return Some(*entry);
        }
        let range = self.ranges.iter().rev().find(|range| range.holds(name))?;
        let (ty, lanes, depth) = (range.ty, range.lanes, range.depth);
        let entry = self.new_reg(name, ty, lanes);
        self.bind(name, entry, depth);
        Some(entry)
    }

    /// `v.x`: one component of a vector register.
    pub(super) fn component(&mut self, name: &'s str, component: &str) -> Option<RegId> {
        let Entry::Vector { first, lanes } = self.lookup(name)? else { return None };
        let index =
            [COMPONENTS, COLOURS].iter().find_map(|names| names.iter().position(|n| *n == component))?;
        (index < usize::from(lanes)).then_some(RegId(first.0 + index as u32))
    }

    /// Defines a label here.
    pub(super) fn define_label(&mut self, name: &'s str, loc: Loc) -> Parsed<LabelId> {
        let label = LabelId(self.labels.len() as u32);
        let unique = self.unique(name);
        self.labels.push(Label { name: unique });
        let frame = self.frames.last_mut().and_then(|frame| frame.labels.insert(name, label));
        match frame {
            Some(_) => Err(Diagnostic::new(loc, format!("label `{name}` is defined twice"))),
            None => Ok(label),
        }
    }

    /// Uses a label that may be defined later. The id counts uses; [`Scopes::label`] gives the label once all scopes
    /// are closed.
    pub(super) fn use_label(&mut self, name: &'s str, loc: Loc) -> LabelId {
        let index = self.uses.len();
        self.uses.push(LabelUse { name, loc, label: None });
        if let Some(frame) = self.frames.last_mut() {
            frame.uses.push(index);
        }
        LabelId(index as u32)
    }

    /// The label a use refers to.
    pub(super) fn label(&self, label_use: LabelId) -> Parsed<LabelId> {
        let LabelUse { name, loc, label } = &self.uses[label_use.index()];
        label.ok_or_else(|| Diagnostic::new(*loc, format!("label `{name}` is not defined in this scope")))
    }

    /// A name that nothing else in the function or the module has.
    pub(super) fn unique(&mut self, name: &'s str) -> Name {
        if self.is_free(name) {
            self.given.insert(name, 1);
            return name.into();
        }
        let mut suffix = *self.given.entry(name).or_insert(1);
        let unique = loop {
            let candidate = format!("{name}${suffix}");
            suffix += 1;
            if self.is_free(&candidate) {
                break candidate;
            }
        };
        self.given.insert(name, suffix);
        self.give(unique)
    }

    fn unique_owned(&mut self, mut name: String) -> Name {
        while !self.is_free(&name) {
            name.push('$');
        }
        self.give(name)
    }

    fn is_free(&self, name: &str) -> bool {
        !self.given.contains_key(name) && !self.renamed.contains(name) && !self.globals.contains_key(name)
    }

    fn give(&mut self, name: String) -> Name {
        let name: Name = name.into();
        self.renamed.insert(name.clone());
        name
    }
}

impl Range<'_> {
    fn holds(&self, name: &str) -> bool {
        let Some(digits) = name.strip_prefix(self.stem) else { return false };
        let canonical = digits == "0" || !digits.starts_with('0');
        canonical
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse().is_ok_and(|n: u32| n < self.count)
    }
}
