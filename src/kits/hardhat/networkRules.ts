/** What a network of Hardhat's configuration may state, so that a chain can keep it. */
import { isObject } from '../../base/schema.ts'
import type { Hardfork } from '../../base/types.ts'
import { MAX_TRANSACTION_GAS } from '../../ethereum/gas.ts'
import type { UserNetwork } from './networkConfig.ts'

/** The chain id of Hardhat's networks. */
export const CHAIN_ID = 31_337

/** The rules of the chain, by Hardhat's names. */
export const HARDFORKS: Readonly<Record<string, Hardfork>> = {
  merge: 'paris',
  shanghai: 'shanghai',
  cancun: 'cancun',
  prague: 'prague',
  osaka: 'osaka',
}

/** Those of a network that names none, if Hardhat's newest are unknown here. */
export const NEWEST = 'osaka'

const byNetwork = (name: string): string => `no value: the option ${name} of the network sets it`
const OWN_CHAIN =
  'no value: each connection has a chain of its own, which begins with the accounts of the network'
const CLIENTS = "no value: the answers are those that Hardhat's clients expect"

/** Options of chains that `preseal` may not have, and why. */
export const REFUSED: Readonly<Record<string, string>> = {
  accounts: byNetwork('accounts'),
  allowBlocksWithSameTimestamp: byNetwork('allowBlocksWithSameTimestamp'),
  allowUnlimitedContractSize: byNetwork('allowUnlimitedContractSize'),
  blocks: OWN_CHAIN,
  blockTime: byNetwork('mining.interval'),
  chainId: byNetwork('chainId'),
  clientVersion: CLIENTS,
  coinbase: byNetwork('coinbase'),
  database: OWN_CHAIN,
  dialect: CLIENTS,
  durability: OWN_CHAIN,
  gasLimit: byNetwork('blockGasLimit'),
  gasPrice: byNetwork('gasPrice'),
  genesis: OWN_CHAIN,
  hardfork: byNetwork('hardfork'),
  initialBaseFeePerGas: byNetwork('initialBaseFeePerGas'),
  mining: byNetwork('mining'),
  'fork.block': byNetwork('forking.blockNumber'),
  'fork.headers': byNetwork('forking.httpHeaders'),
  'fork.provider': byNetwork('forking.url'),
  'fork.url': byNetwork('forking.url'),
  'mempool.ordering': byNetwork('mining.mempool.order'),
}

/** What an option of the network must be, so that a chain can keep it. */
interface Rule {
  readonly option: string
  readonly isKept: (network: UserNetwork) => boolean
  readonly expected: string
}

export const RULES: readonly Rule[] = [
  {
    option: 'chainType',
    isKept: ({ chainType }) => chainType !== 'op',
    expected: "'generic' or 'l1', since the chain has the rules of Ethereum",
  },
  {
    option: 'hardfork',
    isKept: ({ hardfork }) => hardfork === undefined || Object.hasOwn(HARDFORKS, hardfork),
    expected: `one of ${Object.keys(HARDFORKS).join(', ')}`,
  },
  {
    option: 'blockGasLimit',
    isKept: ({ blockGasLimit }) => blockGasLimit !== false,
    expected: 'a number or a bigint, since each block has a gas limit',
  },
  {
    option: 'gasEstimationMode',
    isKept: ({ gasEstimationMode }) => gasEstimationMode !== 'noInternalOutOfGas',
    expected: "'topLevelSuccess' or no value",
  },
  {
    option: 'initialDate',
    isKept: (network) => network.initialDate === undefined || !isForking(network),
    expected: 'no value, since forking is given: preseal.fork.time sets where time begins',
  },
  {
    option: 'loggingEnabled',
    isKept: ({ loggingEnabled }) => loggingEnabled !== true,
    expected: 'false, since requests are not logged',
  },
  {
    option: 'minGasPrice',
    isKept: ({ minGasPrice = 0 }) => Number(minGasPrice) === 0,
    expected: '0, since blocks have no lowest gas price',
  },
  {
    option: 'mining.interval',
    isKept: ({ mining }) => !Array.isArray(mining?.interval) || mining.interval[0] === mining.interval[1],
    expected: 'one number of milliseconds, since blocks are made at equal intervals',
  },
  {
    option: 'networkId',
    isKept: ({ networkId, chainId = CHAIN_ID }) => networkId === undefined || networkId === chainId,
    expected: 'the same value as chainId',
  },
  {
    option: 'transactionGasCap',
    isKept: ({ transactionGasCap: cap, hardfork = NEWEST }) =>
      !cap || (hardfork === 'osaka' && BigInt(cap) === MAX_TRANSACTION_GAS),
    expected: `false, or no value: it is ${MAX_TRANSACTION_GAS} from osaka on (EIP-7825), and there is none before`,
  },
  {
    option: 'preseal.fork',
    isKept: (network) => isForking(network) || !isObject(network.preseal) || !network.preseal['fork'],
    expected: 'no value unless the network has forking, and forking.enabled is not false',
  },
  {
    option: 'preseal.fixedBaseFee',
    isKept: ({ preseal, initialBaseFeePerGas }) =>
      initialBaseFeePerGas === undefined || !isObject(preseal) || preseal['fixedBaseFee'] === undefined,
    expected: 'no value, since initialBaseFeePerGas is given',
  },
]

/** Whether a network is a fork. */
export function isForking({ forking }: UserNetwork): boolean {
  return isObject(forking) && forking['enabled'] !== false
}
