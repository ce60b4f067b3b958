//! Threads that take jobs in the order they came.

use super::{lock, thread_unsafe};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// How long a thread without jobs stays. Contexts come and go, and with each its callback thread.
const PATIENCE: Duration = Duration::from_secs(10);

/// A first-in first-out list of jobs and the threads that work it off. Threads start when needed; they end after a
/// while without jobs, or when the pool is dropped and its list is empty.
pub struct Pool {
    name: &'static str,
    most: usize,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    list: Mutex<List>,
    more: Condvar,
}

#[derive(Default)]
struct List {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

impl Pool {
    pub fn new(name: &'static str, most: usize) -> Pool {
        Pool { name, most, shared: Arc::default() }
    }

    pub fn push(&self, job: Job) {
        let mut list = lock(&self.shared.list);
        list.jobs.push_back(job);
        if list.jobs.len() > list.idle && list.threads < self.most {
            list.threads += 1;
            drop(list);
            self.spawn();
        } else {
            drop(list);
            self.shared.more.notify_one();
        }
    }

    fn spawn(&self) {
        let shared = self.shared.clone();
        if thread_unsafe::spawn(self.name, move || shared.work()).is_err() {
            // No thread to be had: the job still has to end. Another thread of the pool may take it first.
            let job = {
                let mut list = lock(&self.shared.list);
                list.threads -= 1;
                if list.threads == 0 { list.jobs.pop_front() } else { None }
            };
            match job {
                Some(job) => job(),
                None => self.shared.more.notify_one(),
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.list).closed = true;
        self.shared.more.notify_all();
    }
}

impl Shared {
    fn work(&self) {
        while let Some(job) = self.next() {
            // A job that panics must not take the thread, and with it all later jobs, along.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut list = lock(&self.list);
        loop {
            if let Some(job) = list.jobs.pop_front() {
                return Some(job);
            }
            if list.closed {
                list.threads -= 1;
                return None;
            }
            list.idle += 1;
            let (woken, waited) =
                self.more.wait_timeout(list, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            list = woken;
            list.idle -= 1;
            if waited.timed_out() && list.jobs.is_empty() {
                list.threads -= 1;
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn one_thread_keeps_the_order_and_survives_a_panic() {
        let pool = Pool::new("test", 1);
        let (send, receive) = mpsc::channel();
        for i in 0..100 {
            let send = send.clone();
            pool.push(Box::new(move || {
                send.send(i).expect("receiver lives");
                assert!(i != 50, "job fifty panics");
            }));
        }
        drop(send);
        assert_eq!(receive.iter().collect::<Vec<_>>(), (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn two_threads_work_at_the_same_time() {
        let pool = Pool::new("test", 2);
        let barrier = Arc::new(std::sync::Barrier::new(3));
        for _ in 0..2 {
            let barrier = barrier.clone();
            pool.push(Box::new(move || {
                barrier.wait();
            }));
        }
        barrier.wait();
    }
}
