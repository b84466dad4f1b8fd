/** Options of perftest, and of our other programs, that are known and that the ib_* do not have: what each would need. */
import type { OptionShape } from './getopt.js';

export interface RefusedOption extends OptionShape {
  /** Follows the option as it was typed. */
  readonly reason: string;
  /** 77 where hardware or a library is needed, 1 where there is another way or none. */
  readonly exitCode: 1 | 77;
}

type Word = string;

/** Words in the form of getopt: `name=` takes an argument, `x:name` has a short name. */
function refused(exitCode: 1 | 77, reason: string, ...words: readonly Word[]): RefusedOption[] {
  return words.map((word) => {
    const [, short, long = '', equals] = /^(?:(.):)?([^=]+)(=?)$/.exec(word) ?? [];
    return {
      ...{ name: `refused-${long}`, long: [long], reason, exitCode },
      argument: equals === '=' ? 'required' : 'none',
      ...(short !== undefined && { short }),
    };
  });
}

const LEAVE = 'leave it out';
const CUDA = `needs memory of an NVIDIA GPU (CUDA), which fabricbench does not use: ${LEAVE}`;
const ROCM = `needs memory of an AMD GPU (ROCm), which fabricbench does not use: ${LEAVE}`;
const GPU = `needs memory of an accelerator and its library, which fabricbench does not use: ${LEAVE}`;
const AES = `needs a ConnectX device that encrypts (AES-XTS) and libmlx5, which fabricbench does not use: ${LEAVE}`;
const P2P = `needs memory of a device that maps into a file, which fabricbench does not use: ${LEAVE}`;
const DCS = `needs a ConnectX device with streams of DC initiators and libmlx5, which fabricbench does not use: ${LEAVE}`;
const MLX5 = `needs a ConnectX device and libmlx5, which fabricbench does not use: ${LEAVE}`;
const EFA = `needs an EFA device and libefa, which fabricbench does not use: ${LEAVE}`;
const TPH = `needs a device and a platform with TLP processing hints, which fabricbench does not use: ${LEAVE}`;
const PACING = `needs a device that paces packets, which fabricbench does not use: give --rate_limit_type SW`;
const MULTICAST =
  'needs a multicast group of a subnet manager (libibumad), which fabricbench does not use: give -c UD alone';
const DUAL = 'measures two ports at once, which fabricbench does not: run one program for each port, with -i';
const RAW = 'is for raw Ethernet, which the ib_* programs do not send: take raw_ethernet_bw of perftest';
const BIND = 'places the process, which --bind or the launcher does here: give one of them';
const PAYLOAD = 'sends the contents of a file, which fabricbench does not: give --data_validation for a pattern';

const LIMIT = 'is for the osu_* programs: -D measures for so many seconds here';
const TARGET = 'is for the osu_* programs: give -n, or repeat launches with fabricbench run --target-ci';

export const REFUSED_OPTIONS: readonly RefusedOption[] = [
  ...refused(77, CUDA, 'use_cuda=', 'use_cuda_bus_id=', 'use_cuda_dmabuf', 'use_cuda_pcie_mapping'),
  ...refused(77, CUDA, 'use_data_direct', 'cuda_mem_type=', 'gpu_touch='),
  ...refused(77, ROCM, 'use_rocm=', 'use_rocm_dmabuf'),
  ...refused(77, GPU, 'use_neuron=', 'use_neuron_dmabuf', 'use_hl=', 'use_mlu=', 'use_mlu_dmabuf', 'use_musa='),
  ...refused(77, GPU, 'use_musa_bus_id=', 'use_musa_dmabuf', 'use_opencl=', 'opencl_platform_id=', 'use_ib_dm_dmabuf'),
  ...refused(77, AES, 'aes_xts', 'encrypt_on_tx', 'sig_before', 'aes_block_size=', 'data_enc_keys_number='),
  ...refused(77, AES, 'kek_path=', 'credentials_path=', 'data_enc_key_app_path='),
  ...refused(77, P2P, 'mmap=', 'mmap-offset='),
  ...refused(77, DCS, 'log_dci_streams=', 'log_active_dci_streams='),
  ...refused(77, MLX5, 'use_ooo', 'use-null-mr', 'sig_offload', 'congest_type=', 'no_enhanced_reorder', 'no_lock'),
  ...refused(77, MLX5, 'inline_recv='),
  ...refused(77, EFA, 'unsolicited_write', 'connectionless'),
  ...refused(77, TPH, 'tph_mem=', 'cpu_id=', 'ph='),
  ...refused(77, PACING, 'typical_pkt_size='),
  ...refused(77, MULTICAST, 'g:mcg', 'M:MGID='),
  ...refused(1, DUAL, 'O:dualport', 'report-per-port'),
  ...refused(1, RAW, 'B:source_mac=', 'E:dest_mac=', 'J:dest_ip=', 'K:dest_port=', 'k:source_port=', 'Y:ethertype='),
  ...refused(1, RAW, 'Z:server', 'P:client', 'G:use_rss', 'v:mac_fwd', 'vlan_en', 'vlan_pcp=', 'raw_ipv6', 'tcp'),
  ...refused(1, RAW, 'flows=', 'flows_burst=', 'promiscuous', 'sniffer', 'raw_mcast', 'reply_every='),
  ...refused(1, RAW, 'local_mac=', 'remote_mac=', 'local_ip=', 'remote_ip=', 'local_port=', 'remote_port='),
  ...refused(1, BIND, 'pin_cores=', 'numa_node='),
  ...refused(1, LIMIT, 'time-limit='),
  ...refused(1, TARGET, 'target-ci='),
  ...refused(1, PAYLOAD, 'payload_file_path='),
];

/** What `-c` refuses by itself: types that the verbs API alone does not give. */
export const REFUSED_CONNECTIONS: Readonly<Record<string, Pick<RefusedOption, 'reason' | 'exitCode'>>> = {
  SRD: { reason: 'SRD needs an EFA device and libefa, which fabricbench does not use: give RC or UD', exitCode: 77 },
  RawEth: { reason: `RawEth ${RAW}`, exitCode: 1 },
};

/** Likewise of `--rate_limit_type`. */
export const REFUSED_LIMITS: Readonly<Record<string, Pick<RefusedOption, 'reason' | 'exitCode'>>> = {
  HW: { reason: `HW ${PACING}`, exitCode: 77 },
  PP: { reason: `PP ${PACING}`, exitCode: 77 },
};
