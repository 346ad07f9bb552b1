/** @ethereumjs' stock EVM as an engine, created anew for each message. */
import {
  createEVM,
  type EVM,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  getActivePrecompiles,
  paramsEVM,
} from '@ethereumjs/evm'
import { Address as EthereumjsAddress } from '@ethereumjs/util'
import { bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import { Suspended, type Yielder } from '../../../base/waiting.ts'
import type { Log } from '../../block.ts'
import type { Rules } from '../../rules.ts'
import type { Overlay } from '../../state/overlay.ts'
import type { Engine, Message, MessageResult } from '../engine.ts'
import type { BlockEnv, Hooks } from '../executor.ts'
import { probedAccount } from '../hooks.ts'
import { addParameters, commonOf, toMissing } from './common.ts'
import { errorName, Reporter } from './reporter.ts'
import { StateAdapter } from './stateAdapter.ts'

/** Creates an engine. @throws InvalidOptionError if @ethereumjs lacks a hardfork of the chain's rules. */
export function createEthereumjsEngine(crypto: Crypto, rules?: Rules): Engine {
  if (rules !== undefined) commonOf(rules, crypto)
  return {
    run(...message) {
      let result: MessageResult
      const ended = runMessage(crypto, ...message).then((value) => {
        result = value
      })
      return new Suspended(() => result, ended)
    },
  }
}

async function runMessage(
  crypto: Crypto,
  message: Message,
  env: BlockEnv,
  overlay: Overlay,
  hooks?: Hooks,
  pause?: Yielder,
): Promise<MessageResult> {
  const common = commonOf(env.rules, crypto)
  addParameters(common, paramsEVM)
  const state = new StateAdapter(crypto)
  state.use(overlay)
  const precompiles = getActivePrecompiles(common)
  const isWatched = hooks !== undefined || probedAccount() !== undefined
  const reporter = isWatched ? new Reporter(hooks ?? {}, state, pause) : undefined
  const evm = await createEVM({
    common,
    stateManager: state,
    blockchain: new BlockHashes(env.blockHash),
    ...(env.movedPrecompiles && {
      customPrecompiles: toCustomPrecompiles(env.movedPrecompiles, precompiles),
    }),
    ...(reporter && { customOpcodes: reporter.customOpcodes(common) }),
  })
  reporter?.listen(evm)
  warm(evm, precompiles, message)
  const { caller, to, value, data, gasLimit, gasPrice, blobVersionedHashes } = message
  try {
    const result = await evm.runCall({
      block: toEVMBlock(env),
      gasPrice,
      caller: toAddress(caller),
      ...(to !== undefined && { to: toAddress(to) }),
      gasLimit,
      value,
      data,
      ...(blobVersionedHashes && { blobVersionedHashes: [...blobVersionedHashes] }),
      // The state transition has raised the nonce; for system calls the EVM would create the caller's account.
      skipNonceIncrement: true,
    })
    await evm.journal.cleanup()
    return toResult(result)
  } catch (error) {
    throw toMissing(error, common)
  }
}

type Precompiles = EVM['precompiles']

function toCustomPrecompiles(
  moved: NonNullable<BlockEnv['movedPrecompiles']>,
  stock: Precompiles,
): NonNullable<EVMOpts['customPrecompiles']> {
  return [...moved].map(([address, original]) => {
    const run = original === null ? undefined : stock.get(original.slice(2))
    return run === undefined ? { address } : { address, function: run }
  })
}

/** Warms accounts and slots at the start. The new address of a moved precompile is not warmed. */
function warm({ journal }: EVM, precompiles: Precompiles, { warm }: Message): void {
  if (warm === undefined) return
  for (const precompile of precompiles.keys()) journal.addAlwaysWarmAddress(precompile)
  for (const address of warm.addresses) journal.addAlwaysWarmAddress(address)
  for (const { address, storageKeys } of warm.accessList) {
    journal.addAlwaysWarmAddress(address)
    for (const key of storageKeys) journal.addAlwaysWarmSlot(address, key)
  }
}

function toEVMBlock(env: BlockEnv): NonNullable<EVMRunCallOpts['block']> {
  return {
    header: {
      number: env.number,
      coinbase: toAddress(env.coinbase),
      timestamp: env.timestamp,
      difficulty: env.difficulty,
      prevRandao: hexToBytes(env.prevRandao),
      gasLimit: env.gasLimit,
      baseFeePerGas: env.baseFee,
      slotNumber: 0n,
      getBlobGasPrice: () => env.blobBaseFee,
    },
  }
}

function toResult({ execResult, createdAddress }: EVMResult): MessageResult {
  const { exceptionError, returnValue, executionGasUsed, gasRefund, logs } = execResult
  return {
    error: exceptionError && errorName(exceptionError),
    output: returnValue,
    gasUsed: executionGasUsed,
    refund: gasRefund ?? 0n,
    logs: (logs ?? []).map(toLog),
    contractAddress: createdAddress && bytesToHex(createdAddress.bytes),
    destroyed: execResult.selfdestruct?.keys() ?? [],
    created: execResult.createdAddresses ?? NOTHING,
  }
}

const NOTHING: ReadonlySet<string> = new Set()

function toAddress(address: Address): EthereumjsAddress {
  return new EthereumjsAddress(hexToBytes(address))
}

/** Converts a log of @ethereumjs, a triple of bytes. */
export function toLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return {
    address: bytesToHex(address),
    topics: topics.map((topic): Hex => bytesToHex(topic)),
    data: bytesToHex(data),
  }
}

/** The part of a blockchain that @ethereumjs' EVM needs for BLOCKHASH; an unknown block has the zero hash. */
export class BlockHashes {
  constructor(public blockHash: (number: bigint) => Hash | undefined = () => undefined) {}

  async getBlock(number: number): Promise<{ hash(): Uint8Array }> {
    const hash = this.blockHash(BigInt(number))
    return { hash: () => (hash === undefined ? new Uint8Array(32) : hexToBytes(hash)) }
  }

  async putBlock(): Promise<never> {
    throw new TypeError('an EVM stores no blocks')
  }

  shallowCopy(): this {
    return this
  }
}
