//! Streams: a lane of a queue, with what the program said about it.

use super::order::LaneId;
use super::work::{Status, Work};
use super::{Patience, Queue, Task, lock};
use cleave_api::cuda::types::*;
use cleave_device::engine::Engine;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How a stream came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// The default stream that waits for all blocking streams and they for it.
    Legacy,
    /// The default stream of one thread.
    PerThread,
    /// Made by the program; `blocking` streams meet the legacy stream.
    Created { blocking: bool },
}

/// Numbers streams across the process, as `cuStreamGetId` promises.
pub(super) fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// One stream of a context.
pub struct Stream {
    queue: Arc<Queue>,
    lane: LaneId,
    kind: StreamKind,
    id: u64,
    /// Those the program has set.
    attributes: Mutex<Vec<(CUlaunchAttributeID, CUlaunchAttributeValue)>>,
    priority: i32,
}

impl Stream {
    /// The context's legacy default stream.
    pub fn legacy(queue: &Arc<Queue>) -> Arc<Stream> {
        Stream::on(queue, LaneId::LEGACY, StreamKind::Legacy, 0, queue.legacy_id)
    }

    /// A new stream.
    pub fn create(queue: &Arc<Queue>, blocking: bool, priority: i32) -> Arc<Stream> {
        Stream::on(queue, queue.open_lane(blocking), StreamKind::Created { blocking }, priority, next_id())
    }

    /// The calling thread's default stream in this context. It ends with the thread; its commands still run.
    pub fn per_thread(queue: &Arc<Queue>) -> Arc<Stream> {
        thread_local! {
            static STREAMS: RefCell<Vec<Arc<Stream>>> = const { RefCell::new(Vec::new()) };
        }
        let make = || Stream::on(queue, queue.open_lane(true), StreamKind::PerThread, 0, next_id());
        let known = STREAMS.try_with(|streams| {
            let mut streams = streams.borrow_mut();
            if let Some(stream) = streams.iter().find(|stream| Arc::ptr_eq(&stream.queue, queue)) {
                return stream.clone();
            }
            streams.retain(|stream| stream.queue.check().is_ok());
            streams.push(make());
            streams[streams.len() - 1].clone()
        });
        // A thread that is being torn down has no such list any more.
        known.unwrap_or_else(|_| make())
    }

    fn on(queue: &Arc<Queue>, lane: LaneId, kind: StreamKind, priority: i32, id: u64) -> Arc<Stream> {
        Arc::new(Stream { queue: queue.clone(), lane, kind, id, attributes: Mutex::default(), priority })
    }

    pub fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub fn lane(&self) -> LaneId {
        self.lane
    }

    pub fn kind(&self) -> StreamKind {
        self.kind
    }

    pub fn priority(&self) -> i32 {
        self.attribute(CU_LAUNCH_ATTRIBUTE_PRIORITY).value.get()
    }

    /// An attribute as the program set it, or as every stream has it at first.
    pub fn attribute(&self, id: CUlaunchAttributeID) -> CUlaunchAttributeValue {
        let set = lock(&self.attributes).iter().find(|(have, _)| *have == id).map(|(_, value)| *value);
        set.unwrap_or_else(|| {
            let mut value = CUlaunchAttributeValue::default();
            match id {
                CU_LAUNCH_ATTRIBUTE_PRIORITY => value.value.set(self.priority),
                CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY => value.value.set(CU_SYNC_POLICY_AUTO),
                CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                    value.value.set(CUlaunchMemSyncDomainMap { default_: 0, remote: 1 });
                }
                _ => {}
            }
            value
        })
    }

    pub fn set_attribute(&self, id: CUlaunchAttributeID, value: CUlaunchAttributeValue) {
        let mut attributes = lock(&self.attributes);
        attributes.retain(|(have, _)| *have != id);
        attributes.push((id, value));
    }

    pub fn copy_attributes(&self, from: &Stream) {
        let theirs = lock(&from.attributes).clone();
        *lock(&self.attributes) = theirs;
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// Queues a command behind the stream's earlier ones.
    pub fn submit(&self, work: Work) -> Arc<Task> {
        self.queue.submit(self.lane, work, &[])
    }

    /// Performs a copy of so many bytes on the calling thread, behind the stream's earlier commands.
    pub fn perform(&self, (engine, bytes): (Engine, usize), copy: impl FnOnce() -> Status) -> Status {
        self.queue.perform(self.lane, (engine, bytes), copy)
    }

    /// Whether all commands are done.
    pub fn is_idle(&self) -> bool {
        self.queue.is_idle(self.lane)
    }

    /// Blocks until the commands given so far are done.
    pub fn wait(&self, patience: Patience) {
        self.queue.wait_lane(self.lane, patience);
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.kind != StreamKind::Legacy {
            self.queue.close_lane(self.lane);
        }
    }
}
