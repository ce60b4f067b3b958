"""nvidia-ml-py while two processes compute: what it says against what they hold and do.

usage: nvml_client.py NAME UUID PCI CONTEXT_MIB PID:MIB PID:MIB
"""

import sys
import time

import pynvml as nvml

MIB = 1 << 20
# Utilisation is that of the last full second: it shows what they do once that has passed.
PATIENCE = 20


def refused(code, call, *args):
    try:
        value = call(*args)
    except nvml.NVMLError as error:
        assert error.value == code, f"{call.__name__}: {error}"
    else:
        raise AssertionError(f"{call.__name__} answered {value}")


def identity(name, uuid, pci):
    assert nvml.nvmlDeviceGetCount() == 1
    device = nvml.nvmlDeviceGetHandleByIndex(0)
    assert nvml.nvmlDeviceGetName(device) == name
    assert nvml.nvmlDeviceGetUUID(device).removeprefix("GPU-").replace("-", "") == uuid
    info = nvml.nvmlDeviceGetPciInfo(device)
    assert info.busId.lower() == f"0000{pci}".lower(), info.busId
    assert info.busIdLegacy.lower() == pci.lower(), info.busIdLegacy
    same = [
        nvml.nvmlDeviceGetHandleByUUID(nvml.nvmlDeviceGetUUID(device)),
        nvml.nvmlDeviceGetHandleByPciBusId(info.busId),
        nvml.nvmlDeviceGetHandleBySerial(nvml.nvmlDeviceGetSerial(device)),
    ]
    assert [nvml.nvmlDeviceGetIndex(handle) for handle in same] == [0, 0, 0]
    refused(nvml.NVML_ERROR_INVALID_ARGUMENT, nvml.nvmlDeviceGetHandleByIndex, 1)
    refused(nvml.NVML_ERROR_NOT_FOUND, nvml.nvmlDeviceGetHandleByUUID, "GPU-" + "0" * 8)
    assert nvml.nvmlSystemGetDriverVersion().split(".")[0].isdigit()
    assert nvml.nvmlSystemGetCudaDriverVersion_v2() >= 12000
    return device


def memory(device, context, held):
    info, second = nvml.nvmlDeviceGetMemoryInfo(device), nvml.nvmlDeviceGetMemoryInfo(device, nvml.nvmlMemory_v2)
    used = sum(held.values()) + len(held) * context
    assert info.used == second.used == used * MIB, (info.used / MIB, used)
    assert info.total == info.used + info.free and second.total == second.used + second.free + second.reserved
    for call in (nvml.nvmlDeviceGetComputeRunningProcesses_v2, nvml.nvmlDeviceGetComputeRunningProcesses_v3):
        found = {process.pid: process.usedGpuMemory // MIB for process in call(device)}
        assert found == {pid: mib + context for pid, mib in held.items()}, found
    details = nvml.nvmlDeviceGetRunningProcessDetailList(device, nvml.nvmlProcessDetailList_v1, 0)
    assert {process.pid for process in details} == set(held)
    assert nvml.nvmlDeviceGetGraphicsRunningProcesses(device) == []
    assert nvml.nvmlDeviceGetMPSComputeRunningProcesses(device) == []
    for pid in held:
        assert "python" in nvml.nvmlSystemGetProcessName(pid), nvml.nvmlSystemGetProcessName(pid)


def load(device, held):
    """Both share GR: each gets some, together they keep it busy."""
    deadline = time.monotonic() + PATIENCE
    while True:
        rates = nvml.nvmlDeviceGetUtilizationRates(device)
        try:
            samples = nvml.nvmlDeviceGetProcessUtilization(device, 0)
        except nvml.NVMLError_NotFound:
            samples = []
        shares = {sample.pid: sample.smUtil for sample in samples}
        if rates.gpu >= 50 and all(shares.get(pid, 0) >= 20 for pid in held):
            break
        assert time.monotonic() < deadline, (rates.gpu, shares)
        time.sleep(0.1)
    assert set(shares) == set(held) and sum(shares.values()) <= 105, shares
    now = time.time() * 1e6
    assert all(abs(now - sample.timeStamp) < 5e6 for sample in samples)
    values, buckets = nvml.nvmlDeviceGetSamples(device, nvml.NVML_GPU_UTILIZATION_SAMPLES, 0)
    assert values == nvml.NVML_VALUE_TYPE_UNSIGNED_INT and max(b.sampleValue.uiVal for b in buckets) > 0
    idle, limit = 10_000, nvml.nvmlDeviceGetEnforcedPowerLimit(device)
    assert idle < nvml.nvmlDeviceGetPowerUsage(device) <= limit
    assert 30 < nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU) < 90
    assert nvml.nvmlDeviceGetEncoderUtilization(device)[0] == 0
    assert nvml.nvmlDeviceGetDecoderUtilization(device)[0] == 0
    return rates.gpu, shares


def absent(device):
    for call, *args in (
        (nvml.nvmlDeviceGetEccMode,),
        (nvml.nvmlDeviceGetFanSpeed,),
        (nvml.nvmlDeviceGetMigMode,),
        (nvml.nvmlDeviceGetNvLinkState, 0),
        (nvml.nvmlDeviceGetTotalEccErrors, 0, 0),
    ):
        refused(nvml.NVML_ERROR_NOT_SUPPORTED, call, device, *args)
    events = nvml.nvmlEventSetCreate()
    refused(nvml.NVML_ERROR_TIMEOUT, nvml.nvmlEventSetWait_v2, events, 10)
    nvml.nvmlEventSetFree(events)


def main(name, uuid, pci, context, *processes):
    held = {int(pid): int(mib) for pid, mib in (process.split(":") for process in processes)}
    refused(nvml.NVML_ERROR_UNINITIALIZED, nvml.nvmlDeviceGetCount)
    nvml.nvmlInit()
    nvml.nvmlInit()
    nvml.nvmlShutdown()
    device = identity(name, uuid, pci)
    memory(device, int(context), held)
    gpu, shares = load(device, held)
    absent(device)
    nvml.nvmlShutdown()
    refused(nvml.NVML_ERROR_UNINITIALIZED, nvml.nvmlDeviceGetCount)
    print(f"GPU {gpu} %, processes {' and '.join(f'{share} %' for share in shares.values())}")


main(*sys.argv[1:])
