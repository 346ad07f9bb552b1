/**
 * @ethereumjs' EVM with lighter frames. The stock one looks for jump destinations in every call, and spreads every
 * result into a hidden class of its own: 17 kB that only a full collection takes back.
 *
 * Owns: what was found out about the code that runs often. Loaded by `import()`, as it brings the EVM along. The
 * interpreter stays the stock one; its class is not exported, so it is taken from the first frame, which runs as stock.
 */
import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMOpts,
  type ExecResult,
  type Message,
  NobleBN254,
  paramsEVM,
} from '@ethereumjs/evm'
import { Account } from '@ethereumjs/util'
import { addParameters, type Rules } from '../../rules.ts'

type RunState = NonNullable<ExecResult['runState']>
type Interpreter = RunState['interpreter']
type FrameOptions = NonNullable<Parameters<Interpreter['run']>[1]>
type Analysis = ReturnType<Interpreter['_getValidJumpDestinations']>
type InterpreterClass = new (
  evm: EVM,
  state: StateManagerInterface,
  blockchain: RunState['blockchain'],
  env: RunState['env'],
  gas: bigint,
  journal: EVM['journal'],
  logger: unknown,
) => Interpreter

/** Bytes of code whose analysis is kept; that takes about ten times as much. */
const ANALYSED_CODE = 1 << 20

let Frame: InterpreterClass | undefined

/** An EVM with these rules; for hardforks without EOF. */
export function createLeanEVM(rules: Rules, options: Pick<EVMOpts, 'stateManager' | 'blockchain'>): EVM {
  addParameters(rules, paramsEVM)
  return new LeanEVM({ ...options, common: rules.common, bn254: new NobleBN254() })
}

/** See the file's header. */
class LeanEVM extends EVM {
  readonly #analyses = new Map<Uint8Array, Analysis>()
  #analysed = 0

  /** What `analyse` finds out about a code, once for as long as it is kept. */
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

  protected override async runInterpreter(message: Message, options: FrameOptions = {}): Promise<ExecResult> {
    if (Frame === undefined) {
      const result = await super.runInterpreter(message, options)
      Frame ??= remembering(result.runState!.interpreter.constructor as InterpreterClass)
      return result
    }
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

/** The interpreter, its analysis of deployed code kept by the EVM; creation code runs once. */
function remembering(Stock: InterpreterClass): InterpreterClass {
  return class extends Stock {
    override _getValidJumpDestinations(code: Uint8Array): Analysis {
      if (this._env.isCreate) return super._getValidJumpDestinations(code)
      return (this._evm as LeanEVM).analysisOf(code, () => super._getValidJumpDestinations(code))
    }
  }
}
