// Makes one source a kernel for the device and a function for the host.
//
// A kernel gets two buffers of random bits and writes a third one. Each thread reads and writes where its number says.
// No kernel may do what C leaves undefined, and NaN results go through `plain`, since their bits are no part of C.

#ifdef __CUDA_ARCH__
#define KERNEL extern "C" __attribute__((global))
#define FUNCTION static __attribute__((device)) __attribute__((noinline))
#define TABLE static __attribute__((device)) const
#define THREAD (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#else
#define KERNEL
#define FUNCTION static __attribute__((noinline))
#define TABLE static const
extern unsigned host_thread;
#define THREAD host_thread
#endif

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

// A number, or one and the same NaN.
#define plain(x) ((x) == (x) ? (x) : 12345)
