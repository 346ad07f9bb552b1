/**
 * @ethereumjs' EVM as an engine.
 *
 * Owns: a pool of EVMs. Does not own state; callers pass the overlay to write to.
 */
import type { EVM, EVMResult } from '@ethereumjs/evm'
import { Address as EthereumjsAddress } from '@ethereumjs/util'
import { bytesToHex, hexToBytes } from '../../../base/bytes.ts'
import type { Crypto } from '../../../base/crypto/crypto.ts'
import type { Address, Hex } from '../../../base/types.ts'
import { Suspended, type Yielder } from '../../../base/waiting.ts'
import type { Log } from '../../block.ts'
import type { Overlay } from '../../state/overlay.ts'
import type { Engine, Message, MessageResult } from '../engine.ts'
import type { BlockEnv } from '../executor.ts'
import type { Watch } from '../watch.ts'
import { toMissing } from './common.ts'
import { toEVMBlock } from './evmBlock.ts'
import { EVMPool } from './evmPool.ts'
import { errorName, toFrameEnd } from './frameEnd.ts'

/** Creates an engine on @ethereumjs' EVM. */
export function createEthereumjsEngine(crypto: Crypto): Engine {
  const pool = new EVMPool(crypto)
  return {
    run(...message) {
      let result: MessageResult
      const ended = runMessage(pool, ...message).then((value) => {
        result = value
      })
      return new Suspended(() => result, ended)
    },
  }
}

async function runMessage(
  pool: EVMPool,
  message: Message,
  env: BlockEnv,
  overlay: Overlay,
  watch?: Watch,
  pause?: Yielder,
): Promise<MessageResult> {
  const { evm, release } = await pool.checkOut(env.rules, overlay, env.blockHash, watch, pause)
  try {
    warm(evm, message)
    const { caller, to, value, data, gasLimit, gasPrice, blobVersionedHashes } = message
    const result = await evm.runCall({
      block: toEVMBlock(env),
      gasPrice,
      caller: toAddress(caller),
      ...(to !== undefined && { to: toAddress(to) }),
      gasLimit,
      value,
      data,
      ...(blobVersionedHashes && { blobVersionedHashes: [...blobVersionedHashes] }),
      // The state transition has raised the nonce; for system calls the EVM would create the account of the caller.
      skipNonceIncrement: true,
    })
    watch?.tracer?.onExit?.(toFrameEnd(result, evm))
    await evm.journal.cleanup()
    return toResult(result)
  } catch (error) {
    throw toMissing(error, evm.common)
  } finally {
    release()
  }
}

function warm({ journal, precompiles }: EVM, { warm }: Message): void {
  if (warm === undefined) return
  for (const precompile of precompiles.keys()) journal.addAlwaysWarmAddress(precompile)
  for (const address of warm.addresses) journal.addAlwaysWarmAddress(address)
  for (const { address, storageKeys } of warm.accessList) {
    journal.addAlwaysWarmAddress(address)
    for (const key of storageKeys) journal.addAlwaysWarmSlot(address, key)
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

/** Converts a log of the EVM. */
export function toLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return {
    address: bytesToHex(address),
    topics: topics.map((topic): Hex => bytesToHex(topic)),
    data: bytesToHex(data),
  }
}
