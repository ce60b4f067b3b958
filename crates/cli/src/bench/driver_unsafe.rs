//! The CUDA driver as any program finds it: by its name, at run time. Only what the worker needs, in the driver's own order.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use anyhow::{Context, Result, bail};

/// A driver's handle; never looked into.
type Handle = *mut c_void;

/// Declares the functions and how they are found.
macro_rules! functions {
    ($($name:ident($($argument:ty),*);)*) => {
        #[allow(non_snake_case)]
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) -> c_int,)* }

        impl Functions {
            fn find(library: &Library) -> Result<Functions> {
                Ok(Functions { $($name: {
                    let address = library.symbol(stringify!($name))?;
                    // SAFETY: the driver's function of this name has this type, in every version of its API.
                    unsafe { std::mem::transmute::<Handle, unsafe extern "C" fn($($argument),*) -> c_int>(address) }
                },)* })
            }
        }
    };
}

functions! {
    cuInit(c_uint);
    cuGetErrorName(c_int, *mut *const c_char);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut c_int, c_int);
    cuDeviceGetName(*mut c_char, c_int, c_int);
    cuDeviceGetAttribute(*mut c_int, c_int, c_int);
    cuDevicePrimaryCtxRetain(*mut Handle, c_int);
    cuCtxSetCurrent(Handle);
    cuCtxSynchronize();
    cuModuleLoadData(*mut Handle, *const c_void);
    cuModuleGetFunction(*mut Handle, Handle, *const c_char);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, Handle, c_int, usize);
    cuMemAlloc_v2(*mut u64, usize);
    cuMemHostAlloc(*mut Handle, usize, c_uint);
    cuMemcpyHtoDAsync_v2(u64, *const c_void, usize, Handle);
    cuStreamCreate(*mut Handle, c_uint);
    cuEventCreate(*mut Handle, c_uint);
    cuEventRecord(Handle, Handle);
    cuEventSynchronize(Handle);
    cuLaunchKernel(Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut Handle, *mut Handle);
    cuStreamBeginCapture_v2(Handle, c_int);
    cuStreamEndCapture(Handle, *mut Handle);
    cuGraphInstantiateWithFlags(*mut Handle, Handle, u64);
    cuGraphLaunch(Handle, Handle);
}

struct Library(Handle);

impl Library {
    fn open(name: &CStr) -> Result<Library> {
        // SAFETY: loads the driver, whose constructors expect no more than any program gives them; it stays loaded.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            // SAFETY: after a failure dlerror gives a string that lives until the next call of its family.
            let why = unsafe { CStr::from_ptr(libc::dlerror()) };
            bail!("cannot load the CUDA driver: {}", why.to_string_lossy());
        }
        Ok(Library(handle))
    }

    fn symbol(&self, name: &str) -> Result<Handle> {
        let text = CString::new(name)?;
        // SAFETY: the library is loaded, and the name ends with a zero byte.
        let address = unsafe { libc::dlsym(self.0, text.as_ptr()) };
        if address.is_null() {
            bail!("the CUDA driver has no {name}");
        }
        Ok(address)
    }
}

/// A queue of the device.
#[derive(Clone, Copy)]
pub struct Stream(usize);

/// A place in a stream that can be waited for.
#[derive(Clone, Copy)]
pub struct Mark(usize);

/// Commands recorded once and submitted as one.
#[derive(Clone, Copy)]
pub struct Graph(usize);

/// What to launch; iterations of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    Empty,
    /// As many blocks as fill the device: a kernel that leaves room may have others beside it, and then a share of time is not a
    /// share of work. What fills it is shared memory, with one warp a block: on a card that is emulated, every warp costs the
    /// processors that the tenants need to submit their work.
    Work(u32),
}

/// Host memory that the device reads, and where it goes.
#[derive(Clone, Copy)]
pub struct Transfer {
    host: usize,
    device: u64,
    bytes: usize,
}

/// The first device, ready to work. Handles of it may be used by any thread that has called [`Gpu::enter`].
pub struct Gpu {
    functions: Functions,
    context: usize,
    work: usize,
    empty: usize,
    out: u64,
    /// As many as fill the device, with so many bytes of shared memory each.
    blocks: c_uint,
    shared: c_uint,
    pub name: String,
    /// How many there are.
    pub devices: u32,
}

/// A warp, on every card there is.
const THREADS: c_uint = 32;
const KERNELS: &CStr = {
    match CStr::from_bytes_with_nul(concat!(include_str!("kernels.ptx"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the kernels hold a zero byte"),
    }
};

impl Gpu {
    pub fn open() -> Result<Gpu> {
        const SHARED_OF_BLOCK: c_int = 8;
        const SMS: c_int = 16;
        let library = Library::open(c"libcuda.so.1")?;
        let functions = Functions::find(&library)?;
        let (mut device, mut context, mut module) = (0, ptr::null_mut(), ptr::null_mut());
        let (mut work, mut empty, mut out) = (ptr::null_mut(), ptr::null_mut(), 0);
        let (mut sms, mut shared, mut fit, mut devices) = (0, 0, 0, 0);
        let mut name = [0 as c_char; 128];
        let f = &functions;
        let length = name.len() as c_int;
        // SAFETY: every pointer is to a variable of the type that the function writes, texts end with a zero byte, and the
        // calls come in the order that the driver asks for.
        unsafe {
            f.check("cuInit", (f.cuInit)(0))?;
            f.check("cuDeviceGetCount", (f.cuDeviceGetCount)(&mut devices))?;
            f.check("cuDeviceGet", (f.cuDeviceGet)(&mut device, 0))?;
            f.check("cuDeviceGetName", (f.cuDeviceGetName)(name.as_mut_ptr(), length, device))?;
            f.check("cuDeviceGetAttribute", (f.cuDeviceGetAttribute)(&mut sms, SMS, device))?;
            f.check("cuDeviceGetAttribute", (f.cuDeviceGetAttribute)(&mut shared, SHARED_OF_BLOCK, device))?;
            f.check("cuDevicePrimaryCtxRetain", (f.cuDevicePrimaryCtxRetain)(&mut context, device))?;
            f.check("cuCtxSetCurrent", (f.cuCtxSetCurrent)(context))?;
            f.check("cuModuleLoadData", (f.cuModuleLoadData)(&mut module, KERNELS.as_ptr().cast()))?;
            f.check("cuModuleGetFunction", (f.cuModuleGetFunction)(&mut work, module, c"work".as_ptr()))?;
            f.check("cuModuleGetFunction", (f.cuModuleGetFunction)(&mut empty, module, c"empty".as_ptr()))?;
            f.check("cuMemAlloc_v2", (f.cuMemAlloc_v2)(&mut out, 4 * THREADS as usize))?;
            f.check(
                "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                (f.cuOccupancyMaxActiveBlocksPerMultiprocessor)(
                    &mut fit,
                    work,
                    THREADS as c_int,
                    shared.max(0) as usize,
                ),
            )?;
        }
        let (blocks, shared) = (sms.max(1) as c_uint * fit.max(1) as c_uint, shared.max(0) as c_uint);
        // SAFETY: the driver wrote a text that ends within the buffer.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
        let (context, work, empty) = (context as usize, work as usize, empty as usize);
        Ok(Gpu { functions, context, work, empty, out, blocks, shared, name, devices: devices.max(0) as u32 })
    }

    /// Lets the calling thread use the device.
    pub fn enter(&self) -> Result<()> {
        // SAFETY: the context lives as long as the process.
        self.functions
            .check("cuCtxSetCurrent", unsafe { (self.functions.cuCtxSetCurrent)(self.context as Handle) })
    }

    pub fn stream(&self) -> Result<Stream> {
        const NON_BLOCKING: c_uint = 1;
        let mut stream = ptr::null_mut();
        // SAFETY: writes a handle into a variable for one.
        let code = unsafe { (self.functions.cuStreamCreate)(&mut stream, NON_BLOCKING) };
        self.functions.check("cuStreamCreate", code)?;
        Ok(Stream(stream as usize))
    }

    pub fn mark(&self) -> Result<Mark> {
        const BLOCKING_WAIT_WITHOUT_TIME: c_uint = 1 | 2;
        let mut event = ptr::null_mut();
        // SAFETY: writes a handle into a variable for one.
        let code = unsafe { (self.functions.cuEventCreate)(&mut event, BLOCKING_WAIT_WITHOUT_TIME) };
        self.functions.check("cuEventCreate", code)?;
        Ok(Mark(event as usize))
    }

    pub fn transfer(&self, bytes: usize) -> Result<Transfer> {
        let (mut host, mut device) = (ptr::null_mut(), 0);
        let f = &self.functions;
        // SAFETY: both write an address into a variable for one.
        unsafe {
            f.check("cuMemHostAlloc", (f.cuMemHostAlloc)(&mut host, bytes, 0))?;
            f.check("cuMemAlloc_v2", (f.cuMemAlloc_v2)(&mut device, bytes))?;
        }
        Ok(Transfer { host: host as usize, device, bytes })
    }

    /// Kernels fill so many percent of the device from now on.
    pub fn with_part(mut self, percent: usize) -> Gpu {
        self.blocks = (self.blocks * percent as c_uint / 100).max(1);
        self
    }

    pub fn launch(&self, stream: Stream, kernel: Kernel) -> Result<()> {
        let (function, blocks, shared, mut turns) = match kernel {
            Kernel::Empty => (self.empty, 1, 0, 0),
            Kernel::Work(turns) => (self.work, self.blocks, self.shared, turns),
        };
        let mut out = self.out;
        let mut arguments = [(&raw mut turns).cast::<c_void>(), (&raw mut out).cast::<c_void>()];
        let arguments = if kernel == Kernel::Empty { ptr::null_mut() } else { arguments.as_mut_ptr() };
        // SAFETY: the function is of our module and takes these two arguments, or none; they are read before the call
        // returns, and what the kernel writes is inside `out`.
        let code = unsafe {
            (self.functions.cuLaunchKernel)(
                function as Handle,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                shared,
                stream.0 as Handle,
                arguments,
                ptr::null_mut(),
            )
        };
        self.functions.check("cuLaunchKernel", code)
    }

    pub fn copy(&self, stream: Stream, transfer: Transfer) -> Result<()> {
        let Transfer { host, device, bytes } = transfer;
        // SAFETY: both sides have that many bytes and are never freed.
        let code = unsafe {
            (self.functions.cuMemcpyHtoDAsync_v2)(device, host as *const c_void, bytes, stream.0 as Handle)
        };
        self.functions.check("cuMemcpyHtoDAsync_v2", code)
    }

    /// Kernels one after the other, as one command.
    pub fn graph(&self, kernels: &[Kernel]) -> Result<Graph> {
        const RELAXED: c_int = 2;
        let stream = self.stream()?;
        let (mut graph, mut ready) = (ptr::null_mut(), ptr::null_mut());
        let f = &self.functions;
        // SAFETY: the stream is ours and nobody else uses it.
        f.check("cuStreamBeginCapture_v2", unsafe {
            (f.cuStreamBeginCapture_v2)(stream.0 as Handle, RELAXED)
        })?;
        kernels.iter().try_for_each(|&kernel| self.launch(stream, kernel))?;
        // SAFETY: ends the capture begun above; the handles go into variables for them.
        unsafe {
            f.check("cuStreamEndCapture", (f.cuStreamEndCapture)(stream.0 as Handle, &mut graph))?;
            f.check("cuGraphInstantiateWithFlags", (f.cuGraphInstantiateWithFlags)(&mut ready, graph, 0))?;
        }
        Ok(Graph(ready as usize))
    }

    pub fn launch_graph(&self, stream: Stream, graph: Graph) -> Result<()> {
        // SAFETY: both are live handles: they are never destroyed.
        let code = unsafe { (self.functions.cuGraphLaunch)(graph.0 as Handle, stream.0 as Handle) };
        self.functions.check("cuGraphLaunch", code)
    }

    pub fn record(&self, mark: Mark, stream: Stream) -> Result<()> {
        // SAFETY: both are live handles: they are never destroyed.
        let code = unsafe { (self.functions.cuEventRecord)(mark.0 as Handle, stream.0 as Handle) };
        self.functions.check("cuEventRecord", code)
    }

    /// Returns when everything before the mark is done.
    pub fn wait(&self, mark: Mark) -> Result<()> {
        // SAFETY: a live handle: it is never destroyed.
        let code = unsafe { (self.functions.cuEventSynchronize)(mark.0 as Handle) };
        self.functions.check("cuEventSynchronize", code)
    }

    /// Returns when everything is done.
    pub fn drain(&self) -> Result<()> {
        // SAFETY: waits for the context of this thread.
        self.functions.check("cuCtxSynchronize", unsafe { (self.functions.cuCtxSynchronize)() })
    }
}

impl Functions {
    fn check(&self, function: &str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        let mut name = ptr::null();
        // SAFETY: writes the address of a text that lives as long as the driver, or none.
        let known = unsafe { (self.cuGetErrorName)(code, &mut name) } == 0 && !name.is_null();
        // SAFETY: the driver said that this is a text.
        let name = known.then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy());
        Err(anyhow::anyhow!("{}", name.as_deref().unwrap_or("an error without a name")))
            .context(format!("{function} answered {code}"))
    }
}
