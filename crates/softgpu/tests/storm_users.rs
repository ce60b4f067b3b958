//! Two users and one device: its folder decides.

#![allow(non_snake_case)]

#[allow(unsafe_code, dead_code)]
mod call_unsafe;
#[allow(unsafe_code, dead_code)]
mod storm_unsafe;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;

use call_unsafe::*;
use cleave_api::cuda::types::*;
use cleave_ledger::{Pages, futex, shared};
use storm_unsafe::process::{Forked, pause, skipped};
use storm_unsafe::{Device, alone, become_nobody, is_root, wait_for};

const CHUNK: usize = 2 << 20;
const NOBODY: u32 = 65534;

shared! {
    struct Board {
        /// What cuInit answered, plus one.
        answer: AtomicU32,
    }
}

/// A device whose folder has this mode, and a process of nobody's that tries to use it.
fn stranger(device: &Device, mode: u32, group: Option<u32>) -> (Forked, CUresult) {
    std::os::unix::fs::chown(device.folder(), None, group).expect("a group");
    std::fs::set_permissions(device.folder(), Permissions::from_mode(mode)).expect("a mode");
    let board: &'static Board = Pages::anonymous(4096).expect("a page").view(0);
    let process = device.start(|| {
        become_nobody(NOBODY);
        let answer = Libcuda.cuInit(0);
        if answer == CUDA_SUCCESS {
            context();
            memory(3 * CHUNK);
        }
        board.answer.store(answer.0 + 1, SeqCst);
        futex::wake(&board.answer, 1);
        pause();
    });
    wait_for("an answer", &board.answer, |answer| answer > 0);
    (process, CUresult(board.answer.load(SeqCst) - 1))
}

fn device(name: &str) -> Option<Device> {
    if !is_root() {
        skipped("two users on one device", "only root can become somebody else");
        return None;
    }
    Some(Device::new(name, "memory = \"64M\"\ncontext = \"4M\"\n"))
}

#[test]
fn an_open_folder_is_shared_by_users() {
    let _alone = alone();
    let Some(device) = device("storm-users-open") else { return };
    for (mode, group) in [(0o1777, None), (0o2770, Some(NOBODY))] {
        let (mut other, answer) = stranger(&device, mode, group);
        assert_eq!(answer, CUDA_SUCCESS, "mode {mode:o}");
        // Made by the other user, if this is the first time; used by both.
        let machine = device.machine();
        let ours = device.start(|| {
            context();
            memory(2 * CHUNK);
            pause();
        });
        storm_unsafe::until("both hold their memory", || machine.memory(0).used == 9 * CHUNK as u64);
        let mut users: Vec<u32> = machine.processes(0).iter().map(|process| process.uid).collect();
        users.sort_unstable();
        assert_eq!(users, [0, NOBODY]);

        // Either cleans up after the other.
        assert!(other.kill());
        assert_eq!(machine.recover(), 1);
        assert_eq!(machine.memory(0).used, 4 * CHUNK as u64);
        drop(ours);
        let (again, answer) = stranger(&device, mode, group);
        assert_eq!(answer, CUDA_SUCCESS);
        assert_eq!(machine.recover(), 0, "the other user did it when it came");
        assert_eq!(machine.memory(0).used, 5 * CHUNK as u64);
        drop(again);
        assert!(
            cleave_device::Folder::find(&cleave_device::Request::folder(device.folder()))
                .is_some_and(|folder| folder.remove().expect("a device to remove"))
        );
    }
}

#[test]
fn a_closed_folder_is_not() {
    let _alone = alone();
    let Some(device) = device("storm-users-closed") else { return };
    for mode in [0o700, 0o755] {
        // With and without a device in it.
        for _ in 0..2 {
            let (_, answer) = stranger(&device, mode, None);
            assert_ne!(answer, CUDA_SUCCESS, "mode {mode:o}");
            // A process of its own: what this one has open, its children have.
            let ours = device.start(|| assert_ne!(context().0, 0)).end();
            assert_eq!(ours, Ok(0), "and ours works on");
        }
    }
}
