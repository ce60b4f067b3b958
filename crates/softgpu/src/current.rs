//! The context stack of each thread. The hottest calls of the driver only look at its top.

use std::cell::RefCell;
use std::sync::Arc;

use crate::context::Context;

thread_local! {
    static STACK: RefCell<Vec<Arc<Context>>> = const { RefCell::new(Vec::new()) };
}

/// The context on top, destroyed or not.
pub fn top() -> Option<Arc<Context>> {
    // A thread that is being torn down has no stack any more, and so no context.
    STACK.try_with(|stack| stack.borrow().last().cloned()).ok().flatten()
}

/// Looks at the top without keeping it.
pub fn peek<R>(look: impl FnOnce(Option<&Arc<Context>>) -> R) -> Option<R> {
    STACK.try_with(|stack| look(stack.borrow().last())).ok()
}

pub fn push(context: Arc<Context>) {
    let _ = STACK.try_with(|stack| stack.borrow_mut().push(context));
}

pub fn pop() -> Option<Arc<Context>> {
    STACK.try_with(|stack| stack.borrow_mut().pop()).ok().flatten()
}

/// Replaces the top; `None` pops it.
pub fn set(context: Option<Arc<Context>>) {
    // The replaced contexts are dropped outside the borrow: dropping one may run code of ours.
    let _old = STACK.try_with(|stack| {
        let mut stack = stack.borrow_mut();
        let old = stack.pop();
        stack.extend(context);
        old
    });
}
