/**
 * @ethereumjs' EVM with lighter frames. The stock one awaits every instruction, searches jump destinations in every
 * call, and spreads every result, which gives each a new hidden class: 17 kB that only a full collection frees.
 *
 * Owns: the cached analyses of code. Loaded by `import()`, since it loads the EVM too. The instructions are the stock
 * ones; the interpreter's class is not exported, so it is taken from a stock frame that runs without code.
 */
import type { Common } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  type Message,
  NobleBN254,
  paramsEVM,
} from '@ethereumjs/evm'
import { Account, type Address as EthereumjsAddress } from '@ethereumjs/util'
import { bytesToHex } from '../../../base/bytes.ts'
import type { Address, Hash } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import { NO_CODE } from '../../state/account.ts'
import type { Watch } from '../watch.ts'
import { addParameters } from './common.ts'
import {
  type Analysis,
  type FrameHost,
  type FrameOptions,
  type InterpreterClass,
  lean,
  probed,
  type RunState,
  stepped,
  watched,
} from './frames.ts'
import type { StateAdapter } from './stateAdapter.ts'

/** The most code whose analyses are cached, in bytes; the analyses take about ten times as much memory. */
const ANALYSED_CODE = 1 << 20

/** The classes of frames: without hooks, with hooks, and with a hook for each instruction. */
let frames: readonly [InterpreterClass, InterpreterClass, InterpreterClass] | undefined

/** Creates an EVM with these rules; for hardforks without EOF. */
export function createLeanEVM(
  common: Common,
  options: Pick<EVMOpts, 'stateManager' | 'blockchain'>,
): LeanEVM {
  addParameters(common, paramsEVM)
  return new LeanEVM({ ...options, common, bn254: new NobleBN254() })
}

/** The EVM with lighter frames; see the file's header. */
export class LeanEVM extends EVM implements FrameHost {
  /** The hooks of the current operation. */
  watch: Watch | undefined
  /** The pause of the current operation. */
  pause: Pause | undefined
  /** The result of the message that ended last; set only while an operation is watched. */
  lastResult: EVMResult | undefined
  /** The last instruction of the watched frame that ended last. */
  lastOpcode = 0
  precompileError: EVMError | undefined
  readonly #analyses = new Map<Uint8Array, Analysis>()
  #analysed = 0

  /** The result of `analyse` for this code, cached. */
  analysisOf(code: Uint8Array, analyse: () => Analysis): Analysis {
    let analysis = this.#analyses.get(code)
    if (analysis === undefined) {
      analysis = analyse()
      this.#analysed += code.length
      if (this.#analysed > ANALYSED_CODE) {
        this.#analyses.clear()
        this.#analysed = code.length
      }
      this.#analyses.set(code, analysis)
    }
    return analysis
  }

  slotOf(address: Address, key: Hash): bigint {
    return (this.stateManager as StateAdapter).slotValue(address, key)
  }

  /** The precompile at an address, after the moves of the current operation. */
  override getPrecompile(address: EthereumjsAddress | Address): ReturnType<EVM['getPrecompile']> {
    const moved = this.watch?.precompiles
    if (moved === undefined) return super.getPrecompile(address)
    const hex = typeof address === 'string' ? address : bytesToHex(address.bytes)
    const original = moved.get(hex)
    return original === null ? undefined : super.getPrecompile(original ?? hex)
  }

  protected override async runPrecompile(...args: Parameters<EVM['runPrecompile']>): Promise<ExecResult> {
    const result = await super.runPrecompile(...args)
    this.precompileError = result.exceptionError
    return result
  }

  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    return this.watch === undefined ? super.runCall(options) : this.#watchedCall(options)
  }

  async #watchedCall(options: EVMRunCallOpts): Promise<EVMResult> {
    this.lastResult = await super.runCall(options)
    return this.lastResult
  }

  protected override async runInterpreter(message: Message, options: FrameOptions = {}): Promise<ExecResult> {
    if (frames === undefined) {
      const { runState } = await super.runInterpreter({ ...message, code: NO_CODE } as Message)
      const Stock = runState!.interpreter.constructor as InterpreterClass
      const Probed = probed(Stock)
      const Lean = lean(Probed)
      frames ??= [Lean, watched(Lean), stepped(watched(Probed))]
    }
    const { watch } = this
    const Frame = frames[watch === undefined ? 0 : watch.tracer?.onStep === undefined ? 1 : 2]
    const env = {
      address: message.to,
      caller: message.caller,
      callData: message.data,
      callValue: message.value,
      code: message.code,
      isStatic: message.isStatic,
      isCreate: message.isCreate ?? false,
      depth: message.depth,
      gasPrice: this._tx!.gasPrice,
      origin: this._tx!.origin,
      block: this._block,
      contract: (await this.stateManager.getAccount(message.to!)) ?? new Account(),
      codeAddress: message.codeAddress,
      gasRefund: message.gasRefund,
      chargeCodeAccesses: message.chargeCodeAccesses,
      blobVersionedHashes: message.blobVersionedHashes ?? [],
      createdAddresses: message.createdAddresses,
      initialLogs: options.initialLogs,
    } as RunState['env']
    const { stateManager, blockchain, journal, performanceLogger } = this
    const frame = new Frame(this, stateManager, blockchain, env, message.gasLimit, journal, performanceLogger)
    if (message.selfdestruct) frame._result.selfdestruct = message.selfdestruct
    if (message.createdAddresses) frame._result.createdAddresses = message.createdAddresses
    const { runState, exceptionError } = await frame.run(env.code, options)
    const { logs, selfdestruct, createdAddresses, returnValue } = frame._result
    const failed = exceptionError !== undefined
    const keepsGas = !failed || exceptionError.error === EVMError.errorMessages.REVERT
    return {
      exceptionError,
      gas: runState.gasLeft,
      executionGasUsed: keepsGas ? message.gasLimit - runState.gasLeft : message.gasLimit,
      returnValue: returnValue ?? new Uint8Array(0),
      logs: failed ? [] : logs,
      selfdestruct: failed ? new Map() : selfdestruct,
      createdAddresses: failed ? new Set() : createdAddresses,
      gasRefund: runState.gasRefund,
      stateGasSpilled: runState.stateGasSpilled,
    } as ExecResult
  }
}
