/**
 * Classes of frames, derived from the stock interpreter's, which is not exported.
 *
 * Watched frames are of another class, so that others have no overhead.
 */
import type { StateManagerInterface } from '@ethereumjs/common'
import { type EVM, EVMError, type EVMResult, type ExecResult } from '@ethereumjs/evm'
import type { Address as EthereumjsAddress } from '@ethereumjs/util'
import { bytesToHex, toWord } from '../../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../../base/types.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { FrameType, Hooks, Tracer } from '../executor.ts'
import { probedAccount, type Watch } from '../watch.ts'
import { opcodeErrorName, toFrameEnd } from './frameEnd.ts'

/** The state of a frame. */
export type RunState = NonNullable<ExecResult['runState']>
/** A frame. */
export type Interpreter = RunState['interpreter']
/** The valid jump destinations of code, and its opcodes. */
export type Analysis = ReturnType<Interpreter['_getValidJumpDestinations']>
/** The options of running a frame. */
export type FrameOptions = NonNullable<Parameters<Interpreter['run']>[1]>
/** A class of frames. */
export type InterpreterClass = new (
  evm: EVM,
  state: StateManagerInterface,
  blockchain: RunState['blockchain'],
  env: RunState['env'],
  gas: bigint,
  journal: EVM['journal'],
  logger: unknown,
) => Interpreter

/** The parts of an EVM that these frames use. */
export interface FrameHost {
  /** The result of `analyse` for this code, cached. */
  analysisOf(code: Uint8Array, analyse: () => Analysis): Analysis
  /** The hooks of the current operation. */
  readonly watch: Watch | undefined
  /** Called after each instruction that is reported. */
  readonly pause: Pause | undefined
  /** The value of a slot. */
  slotOf(address: Address, key: Hash): bigint
  /** The result of the message that ended last. */
  lastResult: EVMResult | undefined
  /** The last instruction of the frame that ended last. */
  lastOpcode: number
  /** Why the precompile failed that ended last; undefined if it did not. */
  readonly precompileError: EVMError | undefined
}

const [STOP, RETURN] = [0x00, 0xf3] as const
const [JUMP, JUMPI] = [0x56, 0x57] as const
const [SLOAD, SSTORE] = [0x54, 0x55] as const
const [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH] = [0x31, 0x3b, 0x3c, 0x3f] as const
const [CREATE, CREATE2] = [0xf0, 0xf5] as const
const [CALL, CALLCODE, DELEGATECALL, STATICCALL, SELFDESTRUCT] = [0xf1, 0xf2, 0xf4, 0xfa, 0xff] as const

/**
 * The interpreter, awaiting only instructions that may be asynchronous, which makes a loop four times as fast. The EVM
 * caches the analysis of deployed code, but not of initcode, which runs once.
 */
export function lean(Stock: InterpreterClass): InterpreterClass {
  return class extends Stock {
    override async run(code: Uint8Array, { pc = 0 }: FrameOptions = {}): ReturnType<Interpreter['run']> {
      const { _runState: runState, common } = this
      runState.code = code
      runState.programCounter = pc
      let opcodes: Analysis['opcodesCached'] | undefined
      try {
        while (runState.programCounter < code.length) {
          const at = runState.programCounter
          const opcode = code[at]!
          if (opcodes === undefined && (opcode === JUMP || opcode === JUMPI)) {
            const analysis = this._getValidJumpDestinations(code)
            runState.validJumps = analysis.jumps
            runState.cachedPushes = analysis.pushes
            runState.shouldDoJumpAnalysis = false
            opcodes = analysis.opcodesCached
          }
          const entry = opcodes?.[at] ?? this.lookupOpInfo(opcode)
          const { opcodeInfo } = entry
          runState.opCode = opcode
          if (opcodeInfo.isAsync || opcodeInfo.dynamicGas || opcodeInfo.isInvalid) {
            await this.runStep(entry)
          } else {
            this.useGas(opcodeInfo.feeBigInt, opcodeInfo)
            runState.programCounter = at + 1
            entry.opHandler(runState, common)
          }
        }
      } catch (error) {
        if (!(error instanceof EVMError)) throw error
        if (error.error !== EVMError.errorMessages.STOP) return { runState, exceptionError: error }
      }
      return { runState }
    }

    override _getValidJumpDestinations(code: Uint8Array): Analysis {
      if (this._env.isCreate) return super._getValidJumpDestinations(code)
      return hostOf(this).analysisOf(code, () => super._getValidJumpDestinations(code))
    }
  }
}

/** The interpreter, with calls of the account that collectors probe, which leave the return data as it is. */
export function probed(Frame: InterpreterClass): InterpreterClass {
  return class extends Frame {
    override _baseCall(message: Parameters<Interpreter['_baseCall']>[0]): Promise<bigint> {
      const probe = probedAccount()
      return probe === undefined || hexOf(message.codeAddress) !== probe
        ? super._baseCall(message)
        : this.probe(message)
    }

    private async probe(message: Parameters<Interpreter['_baseCall']>[0]): Promise<bigint> {
      const { returnBytes } = this._runState
      const pushed = await super._baseCall(message)
      this._runState.returnBytes = returnBytes
      return pushed
    }
  }
}

/** The interpreter, calling the hooks of the EVM's {@link Watch}; for operations that have one. */
export function watched(Frame: InterpreterClass): InterpreterClass {
  return class extends Frame {
    override async run(code: Uint8Array, options?: FrameOptions): ReturnType<Interpreter['run']> {
      const result = await super.run(code, options)
      hostOf(this).lastOpcode = this._runState.opCode
      return result
    }

    override runStep(opcode?: Parameters<Interpreter['runStep']>[0]): Promise<void> {
      const onAccess = hostOf(this).watch?.onAccess
      if (onAccess !== undefined) this.report(onAccess)
      return super.runStep(opcode)
    }

    /** Reports what the instruction touches, even if it runs out of gas, as go-ethereum does. */
    private report(onAccess: NonNullable<Hooks['onAccess']>): void {
      const { opCode, stack } = this._runState
      switch (opCode) {
        case SLOAD:
        case SSTORE:
          if (stack.length >= 1) onAccess(hexOf(this._env.address), toWord(stack.peek(1)[0]!))
          break
        case BALANCE:
        case EXTCODESIZE:
        case EXTCODECOPY:
        case EXTCODEHASH:
        case SELFDESTRUCT:
          if (stack.length >= 1) onAccess(addressIn(stack.peek(1)[0]!))
          break
        case CALL:
        case CALLCODE:
        case DELEGATECALL:
        case STATICCALL:
          if (stack.length >= 5) onAccess(addressIn(stack.peek(2)[1]!))
      }
    }

    override log(data: Uint8Array, numberOfTopics: number, topics: Uint8Array[]): void {
      super.log(data, numberOfTopics, topics)
      hostOf(this).watch?.tracer?.onLog?.({
        address: hexOf(this._env.address),
        topics: topics.map((topic): Hex => bytesToHex(topic)),
        data: bytesToHex(data),
      })
    }

    override _selfDestruct(to: EthereumjsAddress): Promise<void> {
      const { address, contract } = this._env
      const tracer = hostOf(this).watch?.tracer
      tracer?.onEnter?.({
        type: 'SELFDESTRUCT',
        from: hexOf(address),
        to: hexOf(to),
        gas: 0n,
        value: contract.balance,
        input: NO_BYTES,
      })
      tracer?.onExit?.({ gasUsed: 0n, output: NO_BYTES })
      return super._selfDestruct(to)
    }

    // Calls and creations are entered before their checks of depth and funds: those that fail them are traced too.

    override async _baseCall(message: Parameters<Interpreter['_baseCall']>[0]): Promise<bigint> {
      const tracer = hostOf(this).watch?.tracer
      if (tracer === undefined) return super._baseCall(message)
      tracer.onEnter?.({
        type: FRAME_TYPES.get(this._runState.opCode)!,
        // For DELEGATECALL, the caller in `message` is that of the current frame.
        from: hexOf(this._env.address),
        to: hexOf(message.codeAddress),
        gas: message.gasLimit,
        value: message.value,
        input: message.data,
      })
      return this.follow(tracer, message.value, () => super._baseCall(message))
    }

    override async create(...args: Parameters<Interpreter['create']>): Promise<bigint> {
      const tracer = hostOf(this).watch?.tracer
      if (tracer === undefined) return super.create(...args)
      const [gas, value, input] = args
      const { opCode } = this._runState
      const from = hexOf(this._env.address)
      tracer.onEnter?.({ type: FRAME_TYPES.get(opCode)!, from, to: undefined, gas, value, input })
      return this.follow(tracer, value, () => super.create(...args))
    }

    /** Runs a message, and reports its end. */
    private async follow(tracer: Tracer, value: bigint, run: () => Promise<bigint>): Promise<bigint> {
      const host = hostOf(this)
      const refusal = this.refusalOf(value)
      host.lastResult = undefined
      const pushed = await run()
      tracer.onExit?.(
        host.lastResult === undefined
          ? { gasUsed: 0n, output: NO_BYTES, error: refusal }
          : toFrameEnd(host.lastResult, host),
      )
      return pushed
    }

    /** The error of a call or a creation, if it does not become a message of the EVM. */
    private refusalOf(value: bigint): string {
      const { depth, contract } = this._env
      if (depth >= MAX_DEPTH) return 'max call depth exceeded'
      return contract.balance < value ? 'insufficient balance for transfer' : 'nonce uint64 overflow'
    }
  }
}

/** The interpreter, calling the tracer for each instruction. */
export function stepped(Frame: InterpreterClass): InterpreterClass {
  return class extends Frame {
    override async run(code: Uint8Array, options?: FrameOptions): ReturnType<Interpreter['run']> {
      const result = await super.run(code, options)
      const { _runState: runState } = this
      if (result.exceptionError === undefined && !ENDING.has(runState.opCode)) {
        // The code has ended, which is a STOP in go-ethereum.
        runState.opCode = STOP
        await this._runStepHook(0n, this.getGasLeft(), runState.memoryWordCount)
      }
      return result
    }

    override async runStep(opcode?: Parameters<Interpreter['runStep']>[0]): Promise<void> {
      try {
        await super.runStep(opcode)
      } catch (error) {
        if (error instanceof EVMError && !ENDS.has(error.error)) {
          hostOf(this).watch?.tracer?.onOpcodeError?.(opcodeErrorName(error, this._runState.opCode))
        }
        throw error
      }
    }

    override async _runStepHook(dynamicFee: bigint, gas: bigint, memoryWords: bigint): Promise<void> {
      const { programCounter, opCode, gasRefund, stack, memory, returnBytes, messageGasLimit } =
        this._runState
      hostOf(this).watch?.tracer?.onStep?.({
        pc: programCounter,
        opcode: opCode,
        name: NAMES.get(opCode) ?? this.lookupOpInfo(opCode).opcodeInfo.fullName,
        gas,
        // The fee of a call excludes the gas it passes on, which go-ethereum adds; a creation takes its gas later.
        cost: dynamicFee + (CALLS.has(opCode) ? (messageGasLimit ?? 0n) : 0n),
        depth: this._env.depth + 1,
        refund: gasRefund,
        address: hexOf(this._env.address),
        returnData: returnBytes,
        stack: () => stack.getStack(),
        memory: () => memory._store.slice(0, Number(memoryWords) * 32),
        slot: (key) => hostOf(this).slotOf(hexOf(this._env.address), key),
      })
      await hostOf(this).pause?.()
    }
  }
}

const NO_BYTES = new Uint8Array(0)

/** The most frames that can be nested in the outermost one (Yellow Paper, appendix H). */
const MAX_DEPTH = 1024

/** The errors that are a normal end of a frame. */
const ENDS: ReadonlySet<string> = new Set([EVMError.errorMessages.STOP, EVMError.errorMessages.REVERT])

/** The instructions that end a frame without an error. */
const ENDING: ReadonlySet<number> = new Set([STOP, RETURN, SELFDESTRUCT])

const FRAME_TYPES: ReadonlyMap<number, FrameType> = new Map([
  [CREATE, 'CREATE'],
  [CALL, 'CALL'],
  [CALLCODE, 'CALLCODE'],
  [DELEGATECALL, 'DELEGATECALL'],
  [CREATE2, 'CREATE2'],
  [STATICCALL, 'STATICCALL'],
])

const CALLS: ReadonlySet<number> = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])

/** Names in traces that differ from the opcode's: all clients keep the one from before the merge. */
const NAMES: ReadonlyMap<number, string> = new Map([[0x44, 'DIFFICULTY']])

function hostOf({ _evm }: { readonly _evm: EVM }): FrameHost {
  return _evm as unknown as FrameHost
}

function hexOf(address: EthereumjsAddress): Address {
  return bytesToHex(address.bytes)
}

/** The address in the low bytes of a word. */
function addressIn(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}
