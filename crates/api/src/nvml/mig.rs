#[macro_export]
#[doc(hidden)]
macro_rules! nvml_mig_rows { ([$($next:ident)*] $cb:path { $($acc:tt)* }) => { $crate::chain! { [$($next)*] $cb { $($acc)*

    /// Turns MIG on or off.
    fn nvmlDeviceSetMigMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), mode: val(u32), activationStatus: out(nvmlReturn_t));

    /// Whether MIG is on, now and after a reset.
    fn nvmlDeviceGetMigMode since 11070 [absent forward call]
        (device: val(nvmlDevice_t), currentMode: out(u32), pendingMode: out(u32));

    /// A size that GPU instances can have.
    fn nvmlDeviceGetGpuInstanceProfileInfo since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profile: val(u32), info: out(nvmlGpuInstanceProfileInfo_t));

    /// A size that GPU instances can have, in a versioned struct.
    fn nvmlDeviceGetGpuInstanceProfileInfoV since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profile: val(u32), info: inout(nvmlGpuInstanceProfileInfo_v2_t));

    /// A size that GPU instances can have, by its id.
    fn nvmlDeviceGetGpuInstanceProfileInfoByIdV since 13000 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), info: inout(nvmlGpuInstanceProfileInfo_v2_t));

    /// Places a GPU instance of a size can have.
    fn nvmlDeviceGetGpuInstancePossiblePlacements since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placements: array_out(nvmlGpuInstancePlacement_t, count),
         count: inout(u32));

    /// Places a GPU instance of a size can have.
    fn nvmlDeviceGetGpuInstancePossiblePlacements_v2 since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placements: array_out(nvmlGpuInstancePlacement_t, count),
         count: inout(u32));

    /// How many GPU instances of a size still fit.
    fn nvmlDeviceGetGpuInstanceRemainingCapacity since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), count: out(u32));

    /// Creates a GPU instance.
    fn nvmlDeviceCreateGpuInstance since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), gpuInstance: out(nvmlGpuInstance_t));

    /// Creates a GPU instance at a place.
    fn nvmlDeviceCreateGpuInstanceWithPlacement since 11070 [absent forward call]
        (device: val(nvmlDevice_t), profileId: val(u32), placement: input(nvmlGpuInstancePlacement_t),
         gpuInstance: out(nvmlGpuInstance_t));

    /// Destroys a GPU instance.
    fn nvmlGpuInstanceDestroy since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t));

    /// GPU instances of a size.
    fn nvmlDeviceGetGpuInstances since 11070 [absent forward call custom_wire]
        (device: val(nvmlDevice_t), profileId: val(u32), gpuInstances: raw(Ptr<nvmlGpuInstance_t>), count: out(u32));

    /// GPU instance with the given id.
    fn nvmlDeviceGetGpuInstanceById since 11070 [absent forward call]
        (device: val(nvmlDevice_t), id: val(u32), gpuInstance: out(nvmlGpuInstance_t));

    /// Size and place of a GPU instance.
    fn nvmlGpuInstanceGetInfo since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), info: out(nvmlGpuInstanceInfo_t));

    /// A size that compute instances can have.
    fn nvmlGpuInstanceGetComputeInstanceProfileInfo since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profile: val(u32), engProfile: val(u32),
         info: out(nvmlComputeInstanceProfileInfo_t));

    /// A size that compute instances can have, in a versioned struct.
    fn nvmlGpuInstanceGetComputeInstanceProfileInfoV since 11070 [absent forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), profile: val(u32), engProfile: val(u32),
         info: raw(Ptr<nvmlComputeInstanceProfileInfo_v2_t>));

    /// How many compute instances of a size still fit.
    fn nvmlGpuInstanceGetComputeInstanceRemainingCapacity since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), count: out(u32));

    /// Places a compute instance of a size can have.
    fn nvmlGpuInstanceGetComputeInstancePossiblePlacements since 12000 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32),
         placements: array_out(nvmlComputeInstancePlacement_t, count), count: inout(u32));

    /// Creates a compute instance.
    fn nvmlGpuInstanceCreateComputeInstance since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), computeInstance: out(nvmlComputeInstance_t));

    /// Creates a compute instance at a place.
    fn nvmlGpuInstanceCreateComputeInstanceWithPlacement since 12000 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), placement: input(nvmlComputeInstancePlacement_t),
         computeInstance: out(nvmlComputeInstance_t));

    /// Destroys a compute instance.
    fn nvmlComputeInstanceDestroy since 11070 [absent forward call]
        (computeInstance: val(nvmlComputeInstance_t));

    /// Compute instances of a size.
    fn nvmlGpuInstanceGetComputeInstances since 11070 [absent forward call custom_wire]
        (gpuInstance: val(nvmlGpuInstance_t), profileId: val(u32), computeInstances: raw(Ptr<nvmlComputeInstance_t>),
         count: out(u32));

    /// Compute instance with the given id.
    fn nvmlGpuInstanceGetComputeInstanceById since 11070 [absent forward call]
        (gpuInstance: val(nvmlGpuInstance_t), id: val(u32), computeInstance: out(nvmlComputeInstance_t));

    /// Size of a compute instance.
    fn nvmlComputeInstanceGetInfo since 11070 [absent forward call]
        (computeInstance: val(nvmlComputeInstance_t), info: out(nvmlComputeInstanceInfo_t));

    /// Size and place of a compute instance.
    fn nvmlComputeInstanceGetInfo_v2 since 11070 [absent forward call]
        (computeInstance: val(nvmlComputeInstance_t), info: out(nvmlComputeInstanceInfo_t));

    /// Whether a handle stands for a MIG device.
    fn nvmlDeviceIsMigDeviceHandle since 11070 [soft forward call]
        (device: val(nvmlDevice_t), isMigDevice: out(u32));

    /// GPU instance of a MIG device.
    fn nvmlDeviceGetGpuInstanceId since 11070 [absent forward call]
        (device: val(nvmlDevice_t), id: out(u32));

    /// Compute instance of a MIG device.
    fn nvmlDeviceGetComputeInstanceId since 11070 [absent forward call]
        (device: val(nvmlDevice_t), id: out(u32));

    /// How many MIG devices a device can have.
    fn nvmlDeviceGetMaxMigDeviceCount since 11070 [soft forward call]
        (device: val(nvmlDevice_t), count: out(u32));

    /// MIG device with the given number.
    fn nvmlDeviceGetMigDeviceHandleByIndex since 11070 [absent forward call]
        (device: val(nvmlDevice_t), index: val(u32), migDevice: out(nvmlDevice_t));

    /// Device a MIG device is part of.
    fn nvmlDeviceGetDeviceHandleFromMigDeviceHandle since 11070 [soft forward call]
        (migDevice: val(nvmlDevice_t), device: out(nvmlDevice_t));

}}}}
