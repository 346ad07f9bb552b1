/**
 * Calls the hooks of an execution on @ethereumjs' EVM: listens to its events, and replaces its instructions by custom
 * opcodes that run them and report before or after. The `step` event is not used: it copies the memory for each
 * instruction, and for REVERT even memory that is not paid for. Owns: the messages under way.
 */
import type { Common } from '@ethereumjs/common'
import {
  type EVM,
  EVMError,
  type EVMOpts,
  type EVMResult,
  type ExecResult,
  getOpcodesForHF,
  type Message,
} from '@ethereumjs/evm'
import { bytesToHex, NO_BYTES, toWord } from '../../../base/bytes.ts'
import type { Pause } from '../../../base/waiting.ts'
import type { FrameStart, FrameType, Hooks } from '../executor.ts'
import { addressIn, probedAccount, reportAccess } from '../hooks.ts'
import { hexOf, type StateAdapter } from './stateAdapter.ts'

type AddedOpcode = Extract<NonNullable<EVMOpts['customOpcodes']>[number], { opcodeName: string }>
type GasFunction = NonNullable<AddedOpcode['gasFunction']>
type LogicFunction = AddedOpcode['logicFunction']
type RunState = NonNullable<ExecResult['runState']>
type Opcodes = ReturnType<typeof getOpcodesForHF>
type Opcode = NonNullable<ReturnType<Opcodes['opcodes']['get']>>
type ExecutionError = NonNullable<ExecResult['exceptionError']>
type Run = () => ReturnType<LogicFunction>
/** The state of an ended frame, with the bytes that the frame returned, if any. */
type EndState = RunState & { readonly returnValue?: Uint8Array | undefined }

const [STOP, DIFFICULTY, RETURN, INVALID, SELFDESTRUCT] = [0x00, 0x44, 0xf3, 0xfe, 0xff] as const
const [LOG0, LOG4] = [0xa0, 0xa4] as const
const [CREATE, CREATE2] = [0xf0, 0xf5] as const
const [CALL, CALLCODE, DELEGATECALL, STATICCALL] = [0xf1, 0xf2, 0xf4, 0xfa] as const

/** Reports one execution of @ethereumjs to its hooks. */
export class Reporter {
  readonly #hooks: Hooks
  readonly #state: StateAdapter
  readonly #pause: Pause | undefined
  readonly #messages: Message[] = []
  /** How the message of the current call or creation starts; undefined after the start. */
  #start: Pick<FrameStart, 'type' | 'from' | 'to'> | undefined

  constructor(hooks: Hooks, state: StateAdapter, pause: Pause | undefined) {
    this.#hooks = hooks
    this.#state = state
    this.#pause = pause
  }

  listen({ events }: EVM): void {
    events.on('beforeMessage', (message) => this.#onMessage(message))
    events.on('afterMessage', (result) => this.#onResult(result))
  }

  customOpcodes(common: Common): AddedOpcode[] {
    const reportsAll = this.#hooks.onStep !== undefined || this.#hooks.onAccess !== undefined
    const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(common)
    const added: AddedOpcode[] = []
    for (const opcode of opcodes.values()) {
      const { code, name, fee, dynamicGas } = opcode
      const stockGas = dynamicGas ? dynamicGasHandlers.get(code) : undefined
      const stockLogic = handlers.get(code) ?? NO_LOGIC
      const logicFunction = this.#reportEffect(code, stockLogic)
      if (!reportsAll && logicFunction === stockLogic) continue
      const gasFunction = reportsAll ? this.#reportStep(opcode, stockGas) : stockGas
      added.push({
        opcode: code,
        opcodeName: name,
        baseFee: fee,
        logicFunction,
        ...(gasFunction && { gasFunction }),
      })
    }
    return added
  }

  /** Reports an instruction before its gas is charged, even if it runs out of gas, as go-ethereum does. */
  #reportStep({ code, fullName }: Opcode, stock: GasFunction | undefined): GasFunction {
    return async (runState, fee, common) => {
      const { opCode, stack, env } = runState
      if (this.#hooks.onAccess !== undefined) {
        const peek = (at: number) => stack.peek(at)[at - 1]!
        reportAccess(this.#hooks, opCode, hexOf(env.address), stack.length, peek)
      }
      const words = runState.memoryWordCount
      let gas = fee
      try {
        if (stock !== undefined) gas = await stock(runState, fee, common)
      } catch (error) {
        if (error instanceof EVMError) this.#step(runState, fullName, fee, words)
        throw error
      }
      // The fee of a call excludes the gas that it passes on; go-ethereum includes it. A creation takes its gas later.
      const passed = OPERANDS.get(code)?.to === undefined ? 0n : runState.messageGasLimit!
      this.#step(runState, fullName, gas + passed, words)
      await this.#pause?.()
      return gas
    }
  }

  #step(runState: RunState, name: string, cost: bigint, words: bigint): void {
    const { programCounter, opCode, gasLeft, gasRefund, returnBytes, stack, memory, env } = runState
    const address = hexOf(env.address)
    this.#hooks.onStep?.({
      pc: programCounter,
      opcode: opCode,
      // All clients keep the name from before the merge.
      name: opCode === DIFFICULTY ? 'DIFFICULTY' : name,
      gas: gasLeft,
      cost,
      depth: env.depth + 1,
      refund: gasRefund,
      address,
      returnData: returnBytes,
      stack: () => stack.getStack(),
      memory: () => memory.read(0, Number(words) * 32),
      slot: (key) => this.#state.slotValue(address, key),
    })
  }

  #reportEffect(code: number, stock: LogicFunction): LogicFunction {
    if (code >= LOG0 && code <= LOG4) return (state, common) => this.#log(() => stock(state, common), state)
    if (code === SELFDESTRUCT) return (state, common) => this.#selfDestruct(() => stock(state, common), state)
    const operands = OPERANDS.get(code)
    if (operands === undefined) return stock
    return (state, common) => this.#call(operands, () => stock(state, common), state, common)
  }

  #log(run: () => void, { opCode, stack, memory, env }: RunState): void {
    const [offset, length, ...topics] = stack.peek(2 + opCode - LOG0)
    run()
    this.#hooks.onLog?.({
      address: hexOf(env.address),
      topics: topics.map(toWord),
      data: bytesToHex(memory.read(Number(offset), Number(length))),
    })
  }

  #selfDestruct(run: Run, { stack, env }: RunState): ReturnType<Run> {
    this.#hooks.onEnter?.({
      type: 'SELFDESTRUCT',
      from: hexOf(env.address),
      to: addressIn(stack.peek(1)[0]!),
      gas: 0n,
      value: env.contract.balance,
      input: NO_BYTES,
    })
    this.#hooks.onExit?.({ gasUsed: 0n, output: NO_BYTES })
    return run()
  }

  /** Reports a call or a creation, also if it fails the checks of depth and funds and does not become a message. */
  async #call(at: Operands, run: Run, runState: RunState, common: Common): Promise<void> {
    const { env, stack, memory, messageGasLimit, returnBytes } = runState
    const operands = stack.peek(at.input + 2)
    const to = at.to === undefined ? undefined : addressIn(operands[at.to]!)
    const start = { type: at.type, from: hexOf(env.address), to }
    this.#start = start
    await run()
    if (this.#start === start) {
      const value = at.value === undefined ? env.callValue : operands[at.value]!
      const stipend = at.type.startsWith('CALL') && value > 0n ? common.param('callStipendGas') : 0n
      const input = memory.read(Number(operands[at.input]), Number(operands[at.input + 1]))
      this.#hooks.onEnter?.({ ...start, gas: messageGasLimit! + stipend, value, input })
      this.#hooks.onExit?.({ gasUsed: 0n, output: NO_BYTES, error: refusalOf(env, value) })
    }
    // A call to the probed account leaves the return data as it is.
    if (to !== undefined && to === probedAccount()) runState.returnBytes = returnBytes
  }

  /** Reports the start of a message, except the outermost one, which the caller of the engine reports. */
  #onMessage(message: Message): void {
    this.#messages.push(message)
    const start = this.#start
    if (start === undefined) return
    this.#start = undefined
    const { gasLimit, value, data } = message
    this.#hooks.onEnter?.({ ...start, gas: gasLimit, value, input: data })
  }

  #onResult({ execResult, createdAddress }: EVMResult): void {
    const { isCompiled } = this.#messages.pop()!
    const { executionGasUsed, returnValue, exceptionError, runState } = execResult
    if (runState !== undefined) this.#onCodeEnd(execResult, runState)
    const error = exceptionError && opcodeErrorName(exceptionError, runState?.opCode)
    const isPrecompileFailure = isCompiled && error !== undefined && !FAILURES_OF_MESSAGES.has(error)
    this.#hooks.onExit?.({
      gasUsed: executionGasUsed,
      output: returnValue,
      ...(error !== undefined && { error }),
      ...(isPrecompileFailure && { isPrecompileFailure }),
      ...(createdAddress && { created: bytesToHex(createdAddress.bytes) }),
    })
  }

  /** Reports how the code of a frame ended, unless a reported instruction ended it without an error. */
  #onCodeEnd({ exceptionError, gasRefund }: ExecResult, runState: EndState): void {
    if (this.#hooks.onStep === undefined) return
    const { opCode, memoryWordCount, returnValue } = runState
    if (exceptionError === undefined) {
      if (opCode === STOP || opCode === RETURN || opCode === SELFDESTRUCT) return
      // Code ran past its end, which is a STOP in go-ethereum.
      this.#step({ ...runState, opCode: STOP, gasRefund: gasRefund! }, 'STOP', 0n, memoryWordCount)
    } else if (exceptionError.error !== EVMError.errorMessages.REVERT) {
      const isOfDeposit = opCode === RETURN && returnValue !== undefined
      if (!isOfDeposit) this.#hooks.onOpcodeError?.(opcodeErrorName(exceptionError, opCode))
    }
  }
}

function refusalOf({ depth, contract }: RunState['env'], value: bigint): string {
  if (depth >= MAX_DEPTH) return 'max call depth exceeded'
  return contract.balance < value ? 'insufficient balance for transfer' : 'nonce uint64 overflow'
}

/** {@link errorName}, followed by the undefined instruction as in go-ethereum's traces. */
function opcodeErrorName(error: ExecutionError, opcode: number | undefined): string {
  const name = errorName(error)
  if (name !== 'invalid opcode' || opcode === undefined) return name
  return `${name}: ${opcode === INVALID ? 'INVALID' : `opcode 0x${opcode.toString(16)} not defined`}`
}

/** Returns go-ethereum's text for an error of @ethereumjs. */
export function errorName({ error }: ExecutionError): string {
  // The error of a jump also names its position.
  const [name] = error.split(' at ') as [string]
  return GETH_NAMES[name] ?? name
}

/** go-ethereum's words for @ethereumjs' errors, if they differ. */
const GETH_NAMES: Readonly<Record<string, string>> = {
  revert: 'execution reverted',
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'invalid JUMP': 'invalid jump destination',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
}

/** Errors with which any call can end. Any other error of a call to a precompile is the precompile's. */
const FAILURES_OF_MESSAGES: ReadonlySet<string> = new Set([
  'out of gas',
  'insufficient balance for transfer',
  'value overflow',
])

/** The stack positions, from the top, of the operands that start a frame; at `input` is its offset, then its size. */
interface Operands {
  readonly type: FrameType
  readonly to?: number
  readonly value?: number
  readonly input: number
}

const OPERANDS: ReadonlyMap<number, Operands> = new Map<number, Operands>([
  [CREATE, { type: 'CREATE', value: 0, input: 1 }],
  [CREATE2, { type: 'CREATE2', value: 0, input: 1 }],
  [CALL, { type: 'CALL', to: 1, value: 2, input: 3 }],
  [CALLCODE, { type: 'CALLCODE', to: 1, value: 2, input: 3 }],
  [DELEGATECALL, { type: 'DELEGATECALL', to: 1, input: 2 }],
  [STATICCALL, { type: 'STATICCALL', to: 1, input: 2 }],
])

/** The maximum number of frames nested in the outermost one (Yellow Paper, appendix H). */
const MAX_DEPTH = 1024

/** The EVM never runs the logic of INVALID. */
const NO_LOGIC: LogicFunction = () => {}
