/**
 * Classes of frames, made from the stock interpreter's, which is not exported.
 *
 * A frame that is watched is a class of its own, so that one that is not pays nothing for it.
 */
import type { StateManagerInterface } from '@ethereumjs/common'
import { type EVM, EVMError, type ExecResult } from '@ethereumjs/evm'
import type { Address as EthereumjsAddress } from '@ethereumjs/util'
import { bytesToHex } from '../../bytes.ts'
import type { Address, Hash, Hex } from '../../types.ts'
import type { Hooks } from '../executor.ts'
import type { Watch } from './hooks.ts'

/** What a frame works on. */
export type RunState = NonNullable<ExecResult['runState']>
/** A frame. */
export type Interpreter = RunState['interpreter']
/** Where a code may jump to, and what its opcodes are. */
export type Analysis = ReturnType<Interpreter['_getValidJumpDestinations']>
/** How a frame is run. */
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

/** What the frames here ask of their EVM. */
export interface FrameHost {
  /** What `analyse` finds out about a code, kept. */
  analysisOf(code: Uint8Array, analyse: () => Analysis): Analysis
  /** The hooks of the operation under way. */
  readonly watch: Watch | undefined
}

const [JUMP, JUMPI] = [0x56, 0x57] as const
const [SLOAD, SSTORE] = [0x54, 0x55] as const
const [BALANCE, EXTCODESIZE, EXTCODECOPY, EXTCODEHASH] = [0x31, 0x3b, 0x3c, 0x3f] as const
const [CALL, CALLCODE, DELEGATECALL, STATICCALL, SELFDESTRUCT] = [0xf1, 0xf2, 0xf4, 0xfa, 0xff] as const

/**
 * The interpreter, waiting only for instructions that may have to wait, which makes a loop four times as fast; and its
 * analysis of deployed code kept by the EVM, where creation code runs once.
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

/** The interpreter, telling the EVM's {@link Watch} what happens; for operations that have one. */
export function watched(Frame: InterpreterClass): InterpreterClass {
  return class extends Frame {
    override runStep(opcode?: Parameters<Interpreter['runStep']>[0]): Promise<void> {
      const onAccess = hostOf(this).watch?.onAccess
      if (onAccess !== undefined) this.report(onAccess)
      return super.runStep(opcode)
    }

    /** Names what the instruction touches, whether or not it can pay for it, as go-ethereum does. */
    private report(onAccess: NonNullable<Hooks['onAccess']>): void {
      const { opCode, stack } = this._runState
      switch (opCode) {
        case SLOAD:
        case SSTORE:
          if (stack.length >= 1) onAccess(hexOf(this._env.address), wordOf(stack.peek(1)[0]!))
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
      hostOf(this).watch?.capture?.log({
        address: hexOf(this._env.address),
        topics: topics.map((topic): Hex => bytesToHex(topic)),
        data: bytesToHex(data),
      })
    }

    override _selfDestruct(to: EthereumjsAddress): Promise<void> {
      const { address, contract } = this._env
      hostOf(this).watch?.capture?.transfer(hexOf(address), hexOf(to), contract.balance)
      return super._selfDestruct(to)
    }

    // Calls and creations are entered before their checks of depth and funds: what then fails is counted too.

    override async _baseCall(message: Parameters<Interpreter['_baseCall']>[0]): Promise<bigint> {
      const capture = hostOf(this).watch?.capture
      if (capture === undefined) return super._baseCall(message)
      // CALLCODE has a value as well, which stays where it is.
      const frame = capture.enter(this._runState.opCode === CALL ? message.value : 0n)
      const succeeded = await super._baseCall(message)
      if (succeeded === 0n) capture.drop(frame)
      else capture.leave(frame, hexOf(message.caller), hexOf(message.to!))
      return succeeded
    }

    override async create(...args: Parameters<Interpreter['create']>): Promise<bigint> {
      const capture = hostOf(this).watch?.capture
      if (capture === undefined) return super.create(...args)
      const [, value] = args
      const frame = capture.enter(value)
      const created = await super.create(...args)
      if (created === 0n) capture.drop(frame)
      else capture.leave(frame, hexOf(this._env.address), addressIn(created))
      return created
    }
  }
}

function hostOf({ _evm }: { readonly _evm: EVM }): FrameHost {
  return _evm as unknown as FrameHost
}

function hexOf(address: EthereumjsAddress): Address {
  return bytesToHex(address.bytes)
}

function wordOf(word: bigint): Hash {
  return `0x${word.toString(16).padStart(64, '0')}`
}

/** The address in the low bytes of a word. */
function addressIn(word: bigint): Address {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}
