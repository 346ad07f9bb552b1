/**
 * The blocks of the scene (`scene.ts`) with their transactions, receipts and logs, as the views answer with them: the
 * tests of methods compare with them by name. Long data are abbreviated as `ask` does it.
 */
import { ROOT_HASHES } from '../rootHashes.ts'
import { ALICE } from '../signing.ts'

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const CAROL = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const DAVE = '0x90f79bf6eb2c4f870365e785982e1f101e93b906'
const TOKEN = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const PROBE = '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
const ZERO_HASH = '0x0000000000000000000000000000000000000000000000000000000000000000'
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ALICE_TOPIC = '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB_TOPIC = '0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8'

/** What a transaction and a log have of the block that they are in. */
interface InBlock {
  readonly blockHash: string
  readonly blockNumber: string
  readonly blockTimestamp: string
}

const IN_FIRST: InBlock = {
  blockHash: ROOT_HASHES['scene: block 1'],
  blockNumber: '0x1',
  blockTimestamp: '0x6553f101',
}
const IN_SECOND: InBlock = {
  blockHash: ROOT_HASHES['scene: block 2'],
  blockNumber: '0x2',
  blockTimestamp: '0x6553f102',
}
const IN_PRECONF_BLOCK: InBlock = {
  blockHash: ROOT_HASHES['scene: preconf block'],
  blockNumber: '0x3',
  blockTimestamp: '0x6553f104',
}

/** The fields with the same value in all transactions of EIP-1559. */
const EIP_1559 = {
  accessList: [],
  chainId: '0x7a69',
  maxFeePerGas: '0x2540be400',
  maxPriorityFeePerGas: '0x3b9aca00',
  type: '0x2',
}

const legacyTransfer = {
  ...IN_FIRST,
  chainId: '0x7a69',
  from: BOB,
  gas: '0x186a0',
  gasPrice: '0xb2d05e00',
  hash: '0x8e86de6f62be4b8a7dd1cfc0722248516e275cb0a4a48d5d8ce29032175df088',
  input: '0x',
  nonce: '0x0',
  r: '0xb728f8a13bfedd8d5112c16b71fc6e6a467aafdf48c654bb694ea5aa287fac08',
  s: '0x67df32dc7643983f5e0b2ef737d9249f76176c352cd27860540c474e52ccec60',
  to: CAROL,
  transactionIndex: '0x0',
  type: '0x0',
  v: '0xf4f6',
  value: '0xde0b6b3a7640000',
}
const tokenCreation = {
  ...IN_FIRST,
  ...EIP_1559,
  from: ALICE,
  gas: '0x1e8480',
  gasPrice: '0x6fc23ac0',
  hash: '0xca46f45af71e7ebe53bf79ba91cf9deacd46499af1cdf4d5107af0b9e7f03dde',
  input: '1457 bytes, keccak256 0x886cde658d280f24',
  nonce: '0x0',
  r: '0xdebb19640d828945d5114bde6755659036f5970872484a5263c1af8a3416e5dc',
  s: '0x1ed0f8529154b5c5309a0421fe66efafec2681fd85fd261cb980437ae84f7077',
  to: null,
  transactionIndex: '0x1',
  v: '0x0',
  value: '0x0',
  yParity: '0x0',
}
const probeCreation = {
  ...IN_FIRST,
  ...EIP_1559,
  from: ALICE,
  gas: '0x2dc6c0',
  gasPrice: '0x6fc23ac0',
  hash: '0x77c5acd25bbfec815ce3a8e0f0d22dbed0f8aa58b00c68da7b0b8d4a4cc9fd28',
  input: '1738 bytes, keccak256 0xda37204b4397bbc1',
  nonce: '0x1',
  r: '0xbaea80fe1cf39e8f9b29dea2e97393d52ecd60a8c3c6458f125b3bd975ab6a8e',
  s: '0x760fabb2b3b06ace835f7e11466e35d8adb8301e8ba617dc7dec8e7421768b16',
  to: null,
  transactionIndex: '0x2',
  v: '0x1',
  value: '0x0',
  yParity: '0x1',
}
const tokenTransfer = {
  ...IN_SECOND,
  ...EIP_1559,
  from: ALICE,
  gas: '0x186a0',
  gasPrice: '0x6999ea6c',
  hash: '0xccf1e56c9e36588480fcd844ca89c4b5f82d282272ce57fe874f178f55bb9612',
  input: `0xa9059cbb${BOB_TOPIC.slice(2)}0000000000000000000000000000000000000000000000000000000000000002`,
  nonce: '0x2',
  r: '0xada81bea50da44a27d38dcaa028b64396a7a887def7b04f4a8b91e2d5b7ce6f',
  s: '0x55874ebcf56c8f382ab406bf82d2037d6ca1bc9dcadf832bbd5f5cfbe13228fb',
  to: TOKEN,
  transactionIndex: '0x0',
  v: '0x1',
  value: '0x0',
  yParity: '0x1',
}
const pendingTokenTransfer = {
  ...IN_PRECONF_BLOCK,
  ...EIP_1559,
  from: ALICE,
  gas: '0x186a0',
  gasPrice: '0x63df142a',
  hash: '0x1a4da674501c4b3b507db20f222e1feb42c22037d6f66e522f7d1b970a6c3233',
  input: `0xa9059cbb${BOB_TOPIC.slice(2)}0000000000000000000000000000000000000000000000000000000000000005`,
  nonce: '0x3',
  r: '0x2484ed10cfb9c0a10188c09b4514964580e39e7af56d3ed5550447396055a3cd',
  s: '0x2dbb72c021bfbf2455d509dcd525988a24932a95f6370b2e8d9a49a303ce2e13',
  to: TOKEN,
  transactionIndex: '0x0',
  v: '0x0',
  value: '0x0',
  yParity: '0x0',
}
const pendingSet = {
  ...IN_PRECONF_BLOCK,
  ...EIP_1559,
  from: ALICE,
  gas: '0x186a0',
  gasPrice: '0x63df142a',
  hash: '0x0b53ecfc0e6d41be9bdf2bc836482f98745a7abec2f5f893bd64cda8dce16878',
  input:
    '0x1ab06ee500000000000000000000000000000000000000000000000000000000000000070000000000000000000000000000000000000000000000000000000000000009',
  nonce: '0x4',
  r: '0xfd41255217927cfb498403aff004ad56566d73528e51d9468c4f78bcff07504b',
  s: '0x7cf50496a025137d6a2838db48b940816097d1212dfa67b5f2d91e53ea1ed3fd',
  to: PROBE,
  transactionIndex: '0x1',
  v: '0x0',
  value: '0x0',
  yParity: '0x0',
}
const pendingTransfer = {
  ...IN_PRECONF_BLOCK,
  ...EIP_1559,
  from: BOB,
  gas: '0x186a0',
  gasPrice: '0x63df142a',
  hash: '0x82433dffd1f76e2a59242f2fbd9f36152a48cd8f04d8b4f622faaa1962f2e1f8',
  input: '0x',
  nonce: '0x1',
  r: '0x9fbb12f1454fbb7896d921fa754e2f11ff2bcfdbc5c470f3d4a3749f08313a2c',
  s: '0x2c3c782e738316d22febed8c2d6b2bd13425f573d68b4719ca10a644b3538dea',
  to: CAROL,
  transactionIndex: '0x2',
  v: '0x1',
  value: '0x29a2241af62c0000',
  yParity: '0x1',
}
const pendingRevert = {
  ...IN_PRECONF_BLOCK,
  ...EIP_1559,
  from: BOB,
  gas: '0x186a0',
  gasPrice: '0x63df142a',
  hash: '0xaa8c554d8b1055dd5fde8f117b3913b211883e875ce14a797574ceea9ef3907f',
  input: '0xa9cc4718',
  nonce: '0x2',
  r: '0x7af12131f491cd0de62b8df5ddd3a48139c71220419e74d9fba2fc7b64dbc885',
  s: '0xa0c4ac0d88152b9f9ad1e37cf0e51242890e9646e9f9dbbc4890666a7a7c8ca',
  to: PROBE,
  transactionIndex: '0x3',
  v: '0x0',
  value: '0x0',
  yParity: '0x0',
}

/** The transaction of account 2, which waits and is executable. */
export const WAITING = {
  ...EIP_1559,
  blockHash: null,
  blockNumber: null,
  from: CAROL,
  gas: '0x186a0',
  gasPrice: '0x2540be400',
  hash: '0x2d43b111a23d4ddc5735af521a16b5474e4635acb20e88bbd721712283eeed38',
  input: '0x',
  nonce: '0x0',
  r: '0x5ca7d3dcbd0b122e5a1b36804c8ba9414015e4d6b92255b23a346e6c46538dc3',
  s: '0x1085485f723cb6ad3737dc2551922428ffe559ed739e32fc46da032f60a7af3',
  to: ALICE,
  transactionIndex: null,
  v: '0x1',
  value: '0x1',
  yParity: '0x1',
}

/** The transaction of account 3, which waits behind a nonce gap. */
export const QUEUED = {
  ...WAITING,
  from: DAVE,
  hash: '0xda81b40dc30750a05f78911bf5a7f9c440fd5cbed64987c9e03e46acc6b8257d',
  nonce: '0x1',
  r: '0x53686f9d6ae39bf242763b5faf143ceaa43b244fbcbf64c87134280355d2cb6d',
  s: '0x7f04abfc73bbe3d511a4fb71826158dbdeff11be069be28717eb52a3c5d7bf5d',
  v: '0x0',
  value: '0x2',
  yParity: '0x0',
}

interface Transaction extends InBlock {
  readonly from: string
  readonly gasPrice: string
  readonly hash: string
  readonly to: string | null
  readonly transactionIndex: string
  readonly type: string
}

/** The only log of a transaction and of its block: a transfer of tokens. */
function transferLogOf(transaction: Transaction, from: string, to: string, data: string) {
  const { blockHash, blockNumber, blockTimestamp, hash, transactionIndex } = transaction
  return {
    address: TOKEN,
    blockHash,
    blockNumber,
    blockTimestamp,
    data,
    logIndex: '0x0',
    removed: false,
    topics: [TRANSFER_TOPIC, from, to],
    transactionHash: hash,
    transactionIndex,
  }
}

const mintLog = transferLogOf(
  tokenCreation,
  ZERO_HASH,
  ALICE_TOPIC,
  '0x00000000000000000000000000000000000000000000d3c21bcecceda1000000',
)
const transferLog = transferLogOf(
  tokenTransfer,
  ALICE_TOPIC,
  BOB_TOPIC,
  '0x0000000000000000000000000000000000000000000000000000000000000002',
)
const pendingTransferLog = transferLogOf(
  pendingTokenTransfer,
  ALICE_TOPIC,
  BOB_TOPIC,
  '0x0000000000000000000000000000000000000000000000000000000000000005',
)

const NO_LOGS = '256 zero bytes'
const MINT_BLOOM = '256 bytes, keccak256 0xb68592c4bd16ddca'
const TRANSFER_BLOOM = '256 bytes, keccak256 0x042cc1805aa6ca5e'

/** The receipt of a transaction that succeeded, creates nothing and has no logs, unless `rest` says otherwise. */
function receiptOf(
  transaction: Transaction,
  rest: { readonly gasUsed: string; readonly cumulativeGasUsed: string; readonly [field: string]: unknown },
) {
  const { blockHash, blockNumber, from, gasPrice, hash, to, transactionIndex, type } = transaction
  return {
    blockHash,
    blockNumber,
    contractAddress: null,
    effectiveGasPrice: gasPrice,
    from,
    logs: [],
    logsBloom: NO_LOGS,
    status: '0x1',
    to,
    transactionHash: hash,
    transactionIndex,
    type,
    ...rest,
  }
}

/** The fields with the same value in all blocks. */
const COMMON = {
  blobGasUsed: '0x0',
  difficulty: '0x0',
  excessBlobGas: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  miner: ZERO_ADDRESS,
  nonce: '0x0000000000000000',
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  totalDifficulty: '0x0',
  uncles: [],
  withdrawals: [],
  withdrawalsRoot: EMPTY_ROOT,
}

/** The further fields of a block without transactions. */
const NO_TRANSACTIONS = {
  gasUsed: '0x0',
  logsBloom: NO_LOGS,
  receiptsRoot: EMPTY_ROOT,
  size: '0x268',
  transactions: [],
  transactionsRoot: EMPTY_ROOT,
}

export const GENESIS = {
  ...COMMON,
  ...NO_TRANSACTIONS,
  baseFeePerGas: '0x3b9aca00',
  hash: ROOT_HASHES.genesis,
  mixHash: ZERO_HASH,
  number: '0x0',
  parentHash: ZERO_HASH,
  stateRoot: ROOT_HASHES['genesis: state'],
  timestamp: '0x6553f100',
}

/** Block 1. The block has the hashes of its transactions, as by default. */
export const FIRST = {
  block: {
    ...COMMON,
    baseFeePerGas: '0x342770c0',
    gasUsed: '0xcb3a0',
    hash: ROOT_HASHES['scene: block 1'],
    logsBloom: MINT_BLOOM,
    mixHash: ROOT_HASHES['block 1: randao'],
    number: '0x1',
    parentHash: ROOT_HASHES.genesis,
    receiptsRoot: '0x1a738cb96982d226fc5170b04645bfd685971dd3e951f4edcfaa611e86418523',
    size: '0x101e',
    stateRoot: ROOT_HASHES['scene: block 1, state'],
    timestamp: '0x6553f101',
    transactions: [legacyTransfer.hash, tokenCreation.hash, probeCreation.hash],
    transactionsRoot: '0x10d2490da9fddc125b1d6936ad850cbfe0373331bfaddcaa6a17c4257ff91f9c',
  },
  transactions: [legacyTransfer, tokenCreation, probeCreation],
  receipts: [
    receiptOf(legacyTransfer, { gasUsed: '0x5208', cumulativeGasUsed: '0x5208' }),
    receiptOf(tokenCreation, {
      gasUsed: '0x5f1ce',
      cumulativeGasUsed: '0x643d6',
      contractAddress: TOKEN,
      logs: [mintLog],
      logsBloom: MINT_BLOOM,
    }),
    receiptOf(probeCreation, {
      gasUsed: '0x66fca',
      cumulativeGasUsed: '0xcb3a0',
      contractAddress: PROBE,
    }),
  ],
  logs: [mintLog],
  fourByteTraces: [
    { txHash: legacyTransfer.hash, result: {} },
    { txHash: tokenCreation.hash, result: {} },
    { txHash: probeCreation.hash, result: {} },
  ],
} as const

/** Block 2. */
export const SECOND = {
  block: {
    ...COMMON,
    baseFeePerGas: '0x2dff206c',
    gasUsed: '0xc930',
    hash: ROOT_HASHES['scene: block 2'],
    logsBloom: TRANSFER_BLOOM,
    mixHash: ROOT_HASHES['scene: block 2, randao'],
    number: '0x2',
    parentHash: ROOT_HASHES['scene: block 1'],
    receiptsRoot: '0xff30a9b0e6d64f5eb498d494503f3bf6da151811e401dfef42e0e0d9421f8fcf',
    size: '0x323',
    stateRoot: ROOT_HASHES['scene: block 2, state'],
    timestamp: '0x6553f102',
    transactions: [tokenTransfer.hash],
    transactionsRoot: '0x639f945b582315ef57b74ed5109dbf515829a0f605500522545c17803f8d41e8',
  },
  transactions: [tokenTransfer],
  receipts: [
    receiptOf(tokenTransfer, {
      gasUsed: '0xc930',
      cumulativeGasUsed: '0xc930',
      logs: [transferLog],
      logsBloom: TRANSFER_BLOOM,
    }),
  ],
  logs: [transferLog],
  fourByteTraces: [{ txHash: tokenTransfer.hash, result: { '0xa9059cbb-64': 1 } }],
} as const

/** Block 3 at index 1, without transactions. */
export const EMPTY = {
  ...COMMON,
  ...NO_TRANSACTIONS,
  baseFeePerGas: '0x28444a2a',
  hash: ROOT_HASHES['scene: empty preconf block'],
  mixHash: ROOT_HASHES['scene: block 3, randao'],
  number: '0x3',
  parentHash: ROOT_HASHES['scene: block 2'],
  stateRoot: ROOT_HASHES['scene: empty preconf block, state'],
  timestamp: '0x6553f104',
}

/** Block 3 at index 2. */
export const PRECONF_BLOCK = {
  block: {
    ...EMPTY,
    gasUsed: '0x1d691',
    hash: ROOT_HASHES['scene: preconf block'],
    logsBloom: TRANSFER_BLOOM,
    receiptsRoot: '0x6f619cb2c14487abad6c10795ec25e50d82800dfdfb76740e448b10b7bf3fc48',
    size: '0x4cf',
    stateRoot: ROOT_HASHES['scene: preconf block, state'],
    transactions: [pendingTokenTransfer.hash, pendingSet.hash, pendingTransfer.hash, pendingRevert.hash],
    transactionsRoot: '0xa40b28297b300db1635ed16ff1dafa83b2e5b69874d804498adefadccf9e6fa0',
  },
  transactions: [pendingTokenTransfer, pendingSet, pendingTransfer, pendingRevert],
  receipts: [
    receiptOf(pendingTokenTransfer, {
      gasUsed: '0x8664',
      cumulativeGasUsed: '0x8664',
      logs: [pendingTransferLog],
      logsBloom: TRANSFER_BLOOM,
    }),
    receiptOf(pendingSet, { gasUsed: '0xaab7', cumulativeGasUsed: '0x1311b' }),
    receiptOf(pendingTransfer, { gasUsed: '0x5208', cumulativeGasUsed: '0x18323' }),
    receiptOf(pendingRevert, { gasUsed: '0x536e', cumulativeGasUsed: '0x1d691', status: '0x0' }),
  ],
  logs: [pendingTransferLog],
  fourByteTraces: [
    { txHash: pendingTokenTransfer.hash, result: { '0xa9059cbb-64': 1 } },
    { txHash: pendingSet.hash, result: { '0x1ab06ee5-64': 1 } },
    { txHash: pendingTransfer.hash, result: {} },
    { txHash: pendingRevert.hash, result: { '0xa9cc4718-0': 1 } },
  ],
} as const

/** The pending block of the standard view: it has no transactions before they are sealed, and no hash. */
export const PENDING = {
  ...EMPTY,
  hash: null,
  number: null,
  stateRoot: ROOT_HASHES['scene: block 2, state'],
}
