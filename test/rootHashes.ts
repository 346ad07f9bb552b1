/**
 * The block hashes and state roots that stories of the tests reach, by name: all that a change of the default genesis
 * changes in what tests expect. Inline snapshots have the names (`rootHashNames.ts`). `npx tsx scripts/rootHashes.ts`
 * brings the values up to date.
 *
 * `encoded` is the first eight bytes of the keccak256 of a block's RLP, as snapshots abbreviate it.
 */
export const ROOT_HASHES = {
  genesis: '0xf687e3b98aeaf940a4e044a61c314cd02e1bb1556f0bff1d262efb6379ee5b80',
  'genesis: state': '0x538b39ab9668708f1a554627ff4d3550de8be63a35cda95fbc2f208eaa621332',
  'genesis: encoded': '0x041da2d4b2737b16',
  'block 1: randao': '0x2945ceb71063625d5ffca0ff1bbe824a2e38c111eb817b0c8e52592fa1986a1b',
  'scene: block 1': '0x5acfb28e67fce843ef60af37686e31213db35d18b6e4e5b87c9edf20a7f20b29',
  'scene: block 1, state': '0x32b97c4c68a2eadd5ec86731eef6ba829ff43059427f8865cea23cb001301a2a',
  'scene: block 1, encoded': '0x55a277049b028702',
  'scene: block 2': '0x26bfa65c425a9bb98e75c72443ec3728329b9af435a971ecf5bb7da46e930fe8',
  'scene: block 2, state': '0x785a4b02292652a11b11d8efcfdac6cc25b4b9ab3ff9a1bcf34542b20058f074',
  'scene: block 2, randao': '0x8641d8f4b0f4786fad09692c0cd527a37a799006917be05a21b56eb1e6c64aec',
  'scene: block 2, encoded': '0x6b9ef056e49843d2',
  'scene: block 3, randao': '0x66318707ab0fb992a725321654e4b733d7f37a275de3cde9a39825670fd860f5',
  'scene: empty snapshot': '0x75dba33abdb26a2138de36bd5e8c56b0490a7bd34ecbc02be27a89306aeb9447',
  'scene: empty snapshot, state': '0x61aed5a81193531aa9bd4c48b3803d3882d9486629fe75c624f40ff3253b452b',
  'scene: empty snapshot, encoded': '0x71985b6086915148',
  'scene: snapshot': '0x33912a6b8123c8e01e0b5bd906a2cf77def10e547e3247c5421a775de4577c4d',
  'scene: snapshot, state': '0x9d9923799d94e70aa3f0a5ab3876ca30f9d142f1cf520073c6f50de9f6a9c96f',
  'scene: snapshot, encoded': '0xd393cc4ee08c67a6',
  'subscriptions: block 3': '0xe9c7bfefc0b7619ffaf7ec950488af4ec9d3c449b74247650cc92a0c27d00eb4',
  'subscriptions: block 3, state': '0x35dcbfe66f15414b500f59b91dd90f9359eb3dad0d2142c99622eca3473c2b3e',
  'subscriptions: full transactions': '0xcc4b05a8a4752a62162f1a2bbe0771e63ccd17d5015ca746b8ac4bb1968e4266',
  'events: snapshot': '0x2469aa4e28d50e9f3b4d24330937c543f50c7cf40d5f2bd69b4f59052091a0e8',
  'events: block 1': '0x526504f74ab81f006384ca3b3692116333d66f6f25d9c9d6852401ccf85de619',
  'events: block 1, state': '0x83e49c21b92aa4d69f98cf284bf89212ba4c62cb9088832bdcf9e94a33510548',
  'two slots: block 1, snapshot 0': '0x3b4b3226fa22d134555fbb85a2bce2e13d7cd9ed241fd9a8ca6eab2aa8c7ffc1',
  'two slots: block 1, snapshot 0, state':
    '0xce02460d9ff0cfe1cbe2abacd72566f2688bac2b7560b2aea811bcfd97f2857b',
  'two slots: block 1, snapshot 1': '0x30e2ca10768b5a6ebe9ba8f5f273b4fa66e98cedf008ac799e112274d2ecd370',
  'two slots: block 1, snapshot 1, state':
    '0x2a4f88997b3fe32fe57654e736a25adcaaa08fa013ff9c79a71a0f019fd8637a',
  'two slots: block 1, snapshot 2': '0x555bb3e3f78962e907a75f893ba322ebc637d89ee8f15b4f85a86918e8be6716',
  'two slots: block 1, snapshot 2, state':
    '0x74d2da62fe4539725114406aa916017be5ec9e820982fc3f335a5aa8fda5a919',
  'two slots: block 1': '0x41c2fa247c46071af4f55e35beed6ca97fb58813705e809c87124183422bd5b3',
  'two slots: block 1, state': '0xc10e7500675c08506b14dce5a92ed0fa4e74bf9e99ebe859eb13971bc5e29da2',
  'two slots: block 2, snapshot 0': '0x8e596efa8e3c9d2570c08fe4e842f02171f5e363e7fe683d55c3ac3e068a2ba5',
  'two slots: block 2, snapshot 0, state':
    '0x434289f3d6e3f5508f261a296f61c5c43bcbe47828cdf9a2b5f87f87dafd27ed',
  'two slots: block 2': '0xf5ad1595c9b875d6906beac86639e9b3759e7e0f958883613d8cee6a94aad016',
  'two slots: block 2, state': '0xd0de3a19c8e76181ef7d847239c0e258b7d782a5bc9c763033961be2547cdd85',
  'two slots: block 3, snapshot 0': '0x8d957c85945daf321d73ce70579cfc8835f1e513a5c37a2a671640c089b80308',
  'two slots: block 3, snapshot 0, state':
    '0x017bd0a277c83b6017863b4a6621b821172ece1b822abe5e35c421eb287a4671',
  'determinism: last block': '0x387e54f7e22cfd0e04fcdc5ec8f890c25e0840e2ba66b21161d68def79926e13',
  'mine: head': '0x160bcad7bb97aba746e7dadda9fe4e7e505f45d91096311c779547c43f81e4fa',
  'package: block 1': '0x5721f291e440565bb5e74ee8c1688988641a80035e85467cd4238fb50ed154e3',
} as const
