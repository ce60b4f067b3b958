#[macro_export]
macro_rules! nvml_mig_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    fn nvmlDeviceSetMigMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), mode: val(u32), activationStatus: out(nvmlReturn_t));

    fn nvmlDeviceGetMigMode since 11070 [todo forward call]
        (device: val(nvmlDevice_t), currentMode: out(u32), pendingMode: out(u32));

    fn nvmlDeviceGetGpuInstanceProfileInfo since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profile: val(u32), info: out(nvmlGpuInstanceProfileInfo_t));

    fn nvmlDeviceGetGpuInstanceProfileInfoV since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profile: val(u32), info: inout(nvmlGpuInstanceProfileInfo_v2_t));

    fn nvmlDeviceGetGpuInstanceProfileInfoByIdV since 13000 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), info: inout(nvmlGpuInstanceProfileInfo_v2_t));

    fn nvmlDeviceGetGpuInstancePossiblePlacements since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placements: array_out(nvmlGpuInstancePlacement_t, count),
         count: inout(u32));

    fn nvmlDeviceGetGpuInstancePossiblePlacements_v2 since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placements: array_out(nvmlGpuInstancePlacement_t, count),
         count: inout(u32));

    fn nvmlDeviceGetGpuInstanceRemainingCapacity since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), count: out(u32));

    fn nvmlDeviceCreateGpuInstance since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), gpuInstance: out(nvmlGpuInstance_t));

    fn nvmlDeviceCreateGpuInstanceWithPlacement since 11070 [todo forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placement: input(nvmlGpuInstancePlacement_t),
         gpuInstance: out(nvmlGpuInstance_t));

    fn nvmlGpuInstanceDestroy since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t));

    fn nvmlDeviceGetGpuInstances since 11070 [todo forward call custom_wire]
        (device: val(nvmlDevice_t), profileId: val(u32), gpuInstances: raw(Ptr<nvmlGpuInstance_t>), count: out(u32));

    fn nvmlDeviceGetGpuInstanceById since 11070 [todo forward call]
        (device: val(nvmlDevice_t), id: val(u32), gpuInstance: out(nvmlGpuInstance_t));

    fn nvmlGpuInstanceGetInfo since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), info: out(nvmlGpuInstanceInfo_t));

    fn nvmlGpuInstanceGetComputeInstanceProfileInfo since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profile: val(u32), engProfile: val(u32),
         info: out(nvmlComputeInstanceProfileInfo_t));

    fn nvmlGpuInstanceGetComputeInstanceProfileInfoV since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profile: val(u32), engProfile: val(u32),
         info: inout(nvmlComputeInstanceProfileInfo_v2_t));

    fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), count: out(u32));

    fn nvmlGpuInstanceGetComputeInstancePossiblePlacements since 12000 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32),
         placements: array_out(nvmlComputeInstancePlacement_t, count), count: inout(u32));

    fn nvmlGpuInstanceCreateComputeInstance since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), computeInstance: out(nvmlComputeInstance_t));

    fn nvmlGpuInstanceCreateComputeInstanceWithPlacement since 12000 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), placement: input(nvmlComputeInstancePlacement_t),
         computeInstance: out(nvmlComputeInstance_t));

    fn nvmlComputeInstanceDestroy since 11070 [todo forward call]
        (computeInstance: val(nvmlComputeInstance_t));

    fn nvmlGpuInstanceGetComputeInstances since 11070 [todo forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), computeInstances: raw(Ptr<nvmlComputeInstance_t>),
         count: out(u32));

    fn nvmlGpuInstanceGetComputeInstanceById since 11070 [todo forward call]
        (gpuInstance: val(nvmlGpuInstance_t), id: val(u32), computeInstance: out(nvmlComputeInstance_t));

    fn nvmlComputeInstanceGetInfo since 11070 [todo forward call]
        (computeInstance: val(nvmlComputeInstance_t), info: out(nvmlComputeInstanceInfo_t));

    fn nvmlComputeInstanceGetInfo_v2 since 11070 [todo forward call]
        (computeInstance: val(nvmlComputeInstance_t), info: out(nvmlComputeInstanceInfo_t));

    fn nvmlDeviceIsMigDeviceHandle since 11070 [todo forward call]
        (device: val(nvmlDevice_t), isMigDevice: out(u32));

    fn nvmlDeviceGetGpuInstanceId since 11070 [todo forward call]
        (device: val(nvmlDevice_t), id: out(u32));

    fn nvmlDeviceGetComputeInstanceId since 11070 [todo forward call]
        (device: val(nvmlDevice_t), id: out(u32));

    fn nvmlDeviceGetMaxMigDeviceCount since 11070 [todo forward call]
        (device: val(nvmlDevice_t), count: out(u32));

    fn nvmlDeviceGetMigDeviceHandleByIndex since 11070 [todo forward call]
        (device: val(nvmlDevice_t), index: val(u32), migDevice: out(nvmlDevice_t));

    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle since 11070 [todo forward call]
        (migDevice: val(nvmlDevice_t), device: out(nvmlDevice_t));

}}}}
