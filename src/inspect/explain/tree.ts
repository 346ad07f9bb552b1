/** Explanations as plain data, with bigints for wei, gas, block numbers and integers of the ABI, and as lines. */

import type { DropReason } from '../../base/eventTypes.ts'
import { printable } from '../../base/printable.ts'
import { type SolidityTrace, solidityLines } from '../../base/solidityTrace.ts'
import type { AccessListEntry, Address, BlockParameter, Hash, Hex } from '../../base/types.ts'
import type { FrameType } from '../../ethereum/evm/executor.ts'
import type { Artifacts } from './artifacts.ts'

/** The value of an argument: hex for bytes and addresses, a list for arrays, arguments for structs. */
export type ArgumentValue = bigint | boolean | string | readonly ArgumentValue[] | readonly Argument[]

/** A decoded argument, return value or field. */
export interface Argument {
  /** Empty if the ABI has no name. */
  readonly name: string
  /** The ABI type, such as `uint256` or `tuple[]`. */
  readonly type: string
  readonly value: ArgumentValue
  /** Whether the value is a hash: an event has only the hash of an indexed string, bytes, array or struct. */
  readonly isHash?: boolean
}

/** A function, an event or an error with its arguments. */
export interface Decoded {
  readonly name: string
  /** Such as `transfer(address,uint256)`. */
  readonly signature: string
  readonly args: readonly Argument[]
}

/** How a frame ended, in forge's words: `Stop`, `Return`, `Revert`, `SelfDestruct`, or an error such as `OutOfGas`. */
export type FrameResult = string

/** A call or a creation, with its calls, events and writes. */
export interface ExplainedFrame {
  readonly kind: 'frame'
  readonly type: FrameType
  readonly from: Address
  /**
   * The account whose code runs. For a creation, the new account, even if the creation failed; absent if the creation
   * was refused. For a selfdestruct, the beneficiary.
   */
  readonly to?: Address
  /** The name of the contract whose code runs, if an artifact has it. For a clone or a proxy, of its implementation. */
  readonly contract?: string
  /**
   * The kind of `to`, unless it is a contract of an artifact. `clone` (EIP-1167), `proxy` (EIP-1967, or forwards its
   * calldata by DELEGATECALL) and `delegated` (EIP-7702) run the code of a second account. `codeless` has no code.
   */
  readonly account?: 'precompile' | 'console' | 'clone' | 'proxy' | 'delegated' | 'codeless'
  /** The function or constructor; absent if the selector is unknown. */
  readonly function?: Decoded
  /** In wei. A DELEGATECALL has the value of its caller. */
  readonly value: bigint
  /** The available gas; for the outermost frame, the transaction's gas limit. */
  readonly gas: bigint
  /** For the outermost frame, the gas in the receipt. */
  readonly gasUsed: bigint
  /** The calldata, or the initcode of a creation. */
  readonly input: Hex
  /** The return or revert data, or the deployed code of a creation. */
  readonly output: Hex
  readonly result: FrameResult
  /** Decoded return values; absent if the function is unknown or failed. */
  readonly returned?: readonly Argument[]
  /** Why the frame failed, in go-ethereum's words; absent if it succeeded. */
  readonly error?: string
  /** The decoded revert data: `Error(string)`, `Panic(uint256)`, or an error in the ABI of any artifact. */
  readonly revert?: Decoded
  /** The text of `Error(string)`, or the meaning of `Panic(uint256)`. */
  readonly reason?: string
  /** The message of a call to Hardhat's and Foundry's console.sol. */
  readonly console?: string
  /** Calls, events and writes, in order. */
  readonly items: readonly ExplainedItem[]
  /** The number of omitted items, at any depth. */
  readonly omitted?: number
}

/** A log. It had no effect if its frame, or a frame around it, failed. */
export interface ExplainedEvent {
  readonly kind: 'event'
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  /** Absent if the first topic is unknown. */
  readonly event?: Decoded
}

/** A write of a storage slot; recorded only with the option `storage`. */
export interface ExplainedWrite {
  readonly kind: 'write'
  readonly address: Address
  readonly slot: Hash
  /** The value before the write. */
  readonly before: Hash
  readonly after: Hash
  /** Whether the slot is transient (EIP-1153). `before` is then 0. */
  readonly isTransient?: boolean
}

/** An item of a frame. */
export type ExplainedItem = ExplainedFrame | ExplainedEvent | ExplainedWrite

/** The stage of the transaction, or `call`. */
export type ExplainedStage = 'sealed' | 'preconfirmed' | 'waiting' | 'dropped' | 'call'

/** The call tree of a transaction or a call. */
export interface Explanation {
  readonly stage: ExplainedStage
  /** Absent for a call. */
  readonly hash?: Hash
  /** The block of the transaction, or the block whose state it was simulated on. */
  readonly block: { readonly number: bigint; readonly hash: Hash }
  /** True for a call, and for a transaction in no block. */
  readonly isSimulated: boolean
  /** Why the transaction was dropped; only at the stage `dropped`. */
  readonly dropReason?: DropReason
  readonly succeeded: boolean
  readonly gasUsed: bigint
  /** Names of identified contracts, precompiles and the console. */
  readonly names: Readonly<Record<Address, string>>
  readonly root: ExplainedFrame
  /** Why and where the Solidity code failed; only if it failed, and with the chain's option `stackTraces`. */
  readonly solidity?: SolidityTrace
  /** Limits of this explanation, such as unusable artifacts or omitted frames. */
  readonly notes: readonly string[]
}

/** A number, as a bigint, a safe integer or hex. */
export type Amount = bigint | number | Hex

/** A call to simulate, with the fields of `eth_call`. */
export interface ExplainCall {
  readonly from?: Address | undefined
  /** Absent for a creation. */
  readonly to?: Address | null | undefined
  readonly data?: Hex | undefined
  /** In wei. */
  readonly value?: Amount | undefined
  readonly gas?: Amount | undefined
  /** In wei per gas. Not allowed together with `maxFeePerGas` or `maxPriorityFeePerGas`. */
  readonly gasPrice?: Amount | undefined
  readonly maxFeePerGas?: Amount | undefined
  readonly maxPriorityFeePerGas?: Amount | undefined
  readonly nonce?: Amount | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
}

/** Options of `chain.explain`. */
export interface ExplainOptions {
  /** Artifacts, ABIs or build info, read once per object. Default: none, and all data stays hex. */
  readonly artifacts?: Artifacts | undefined
  /** Whether to show storage writes. The execution then takes several times as long. Default: false. */
  readonly storage?: boolean | undefined
  /** The block whose state a call is simulated on; default: `'pending'`, the block under construction. */
  readonly block?: BlockParameter | bigint | number | undefined
  /** How many calls, events and writes the tree may have; default: 10,000. Further items are only counted. */
  readonly maxItems?: number | undefined
}

// Lines of an explanation as styled parts, in forge's wording, for terminals and pages.

/** The role of a part. Terminals give each a colour (SGR), pages a class. */
export type Style = 'plain' | 'dim' | 'contract' | 'good' | 'bad' | 'event' | 'console'

/** A part of a line that has one style. */
export interface Part {
  readonly style: Style
  readonly text: string
}

/** Settings of all lines of an explanation. */
export interface LineContext extends Pick<Explanation, 'names'> {
  /** Whether to show the names of call arguments. Events always show them. */
  readonly withNames: boolean
}

const MAX_SHOWN_CHARACTERS = 500
const MAX_SHOWN_ITEMS = 100
const MAX_SHOWN_DEPTH = 64

const part = (style: Style, text: string): Part => ({ style, text })

/** Returns the first line: the subject, its block and its outcome. */
export function headLine(explanation: Explanation): Part[] {
  const { stage, hash, block, isSimulated, dropReason, gasUsed, succeeded } = explanation
  const subject = stage === 'call' ? 'call' : `${stage} transaction ${hash}`
  const place = `${isSimulated ? 'simulated on' : 'in'} block ${block.number}`
  return [
    part('plain', `${subject}${dropReason === undefined ? '' : ` (${dropReason})`}, ${place}: `),
    succeeded ? part('good', 'succeeded') : part('bad', 'failed'),
    part('plain', `, ${gasUsed} gas`),
  ]
}

/** Returns the line of a frame, an event or a write. */
export function itemLine(item: ExplainedItem, context: LineContext): Part[] {
  if (item.kind === 'event') return eventLine(item, context)
  return item.kind === 'write' ? writeLine(item) : frameLine(item, context)
}

function frameLine(frame: ExplainedFrame, context: LineContext): Part[] {
  const { type, to, value, gasUsed, account, console, error } = frame
  if (console !== undefined) return [part('console', `console: ${cutText(console)}`)]
  const amount = value > 0n && type !== 'DELEGATECALL' ? `{value: ${value}}` : ''
  if (type === 'SELFDESTRUCT') {
    return [part('dim', 'selfdestruct '), part('plain', `→ ${nameOf(to, context)}${amount}`)]
  }
  const gas = part('dim', `[${gasUsed}] `)
  const style = error === undefined ? 'contract' : 'bad'
  if (type.startsWith('CREATE')) {
    const { args = [] } = frame.function ?? {}
    const name = frame.contract ?? (account === 'clone' || account === 'proxy' ? account : '<unknown>')
    const created = part(style, `${printable(name)}@${to ?? '<none>'}`)
    const given = args.length > 0 ? `(${list(args, context)})` : ''
    return [gas, part('plain', '→ new '), created, part('plain', `${amount}${given}`)]
  }
  const kind = type === 'CALL' ? '' : ` [${type.toLowerCase()}]`
  const isOther = account === 'clone' || account === 'proxy' || account === 'delegated'
  const via = isOther ? ` (${account} at ${to})` : ''
  const owner = account === 'precompile' ? 'PRECOMPILES' : (frame.contract ?? `${to}`)
  return [
    gas,
    part(style, `${printable(owner)}::${functionName(frame, context)}`),
    part('plain', `${amount}(${argumentsOf(frame, context)})`),
    part('dim', `${kind}${via}`),
  ]
}

function functionName(frame: ExplainedFrame, { names }: LineContext): string {
  const { type, function: called, account, to, input } = frame
  if (called !== undefined) return printable(called.name)
  if (account === 'precompile') return names[to!] ?? '<unknown>'
  if (input.length >= 10) return input.slice(0, 10)
  return type === 'CALL' && account === 'codeless' ? 'transfer' : 'fallback'
}

function argumentsOf({ function: called, account, input }: ExplainedFrame, context: LineContext): string {
  if (called !== undefined && called.name !== 'fallback') return list(called.args, context)
  const isWhole = account === 'precompile' || called !== undefined || input.length < 10
  const data: Hex = isWhole ? input : `0x${input.slice(10)}`
  return data === '0x' ? '' : cutHex(data)
}

/** Returns the line that says how a frame ended. */
export function endLine(frame: ExplainedFrame, context: LineContext): Part[] {
  const { result, error } = frame
  const text = error === undefined ? returnedText(frame, context) : failureText(frame, context)
  const end = part(error === undefined ? 'good' : 'bad', `← [${result}]`)
  return text === '' ? [end] : [end, part('plain', ` ${text}`)]
}

/** Returns whether the first line of a frame also says how it ended. */
export function isOneLine({ console, type }: ExplainedFrame): boolean {
  return console !== undefined || type === 'SELFDESTRUCT'
}

function returnedText({ type, output, returned }: ExplainedFrame, context: LineContext): string {
  if (type.startsWith('CREATE')) return `${output.length / 2 - 1} bytes of code`
  if (returned !== undefined) return list(returned, context)
  return output === '0x' ? '' : cutHex(output)
}

function failureText({ result, output, revert, reason }: ExplainedFrame, context: LineContext): string {
  if (result !== 'Revert') return `EvmError: ${result}`
  if (revert?.signature === 'Panic(uint256)') {
    return `panic: ${reason} (0x${(revert.args[0]!.value as bigint).toString(16).padStart(2, '0')})`
  }
  if (reason !== undefined) return cutText(reason)
  if (revert !== undefined) return `${printable(revert.name)}(${list(revert.args, context)})`
  if (output === '0x') return 'EvmError: Revert'
  if (output.length < 10) return output
  const args = output.length === 10 ? '' : `: ${cutHex(`0x${output.slice(10)}`)}`
  return `custom error ${output.slice(0, 10)}${args}`
}

function eventLine({ event, topics, data }: ExplainedEvent, context: LineContext): Part[] {
  const emit = part('event', 'emit ')
  if (event !== undefined) {
    const args = list(event.args, { ...context, withNames: true })
    return [emit, part('event', printable(event.name)), part('plain', `(${args})`)]
  }
  const shown = topics.map((topic, i) => `topic ${i}: ${topic}`)
  if (data !== '0x' || topics.length === 0) shown.push(`data: ${cutHex(data)}`)
  return [emit, part('plain', shown.join(', '))]
}

function writeLine({ slot, before, after, isTransient }: ExplainedWrite): Part[] {
  const values = isTransient ? short(after) : `${short(before)} → ${short(after)}`
  const kind = part('dim', `${isTransient ? 'transient ' : ''}storage `)
  return [kind, part('plain', `@ ${short(slot)}: ${values}`)]
}

/** Returns the shown items of a frame, and a line about omitted ones. @param depth - of the frame, from 1. */
export function shownItems(frame: ExplainedFrame, depth: number) {
  const { items, omitted = 0 } = frame
  const isDeep = depth >= MAX_SHOWN_DEPTH && items.length > 0
  const count = isDeep ? countItems(frame) : omitted
  const line = [part('dim', `… ${count} calls, events and writes are left out`)]
  return { items: isDeep ? [] : items, omitted: count > 0 ? line : undefined }
}

function countItems({ items, omitted = 0 }: ExplainedFrame): number {
  return items.reduce((sum, item) => sum + 1 + (item.kind === 'frame' ? countItems(item) : 0), omitted)
}

function short(word: Hex): string {
  const value = BigInt(word)
  return value < 2n ** 64n ? `${value}` : word
}

/** Returns a function, an event or an error with its arguments, such as `TooLow(3)`. */
export function toCallText({ name, args }: Decoded): string {
  return `${printable(name)}(${list(args, { withNames: false, names: {} })})`
}

function list(args: readonly Argument[], context: LineContext): string {
  return bounded(args, (one) => {
    // A hash is shown as it is, not in the format of the parameter's type.
    const value = one.isHash ? `${one.value}` : toText(one.value, one.type, context)
    return context.withNames && one.name !== '' ? `${printable(one.name)}: ${value}` : value
  })
}

function bounded<Item>(items: readonly Item[], show: (item: Item) => string): string {
  const shown = items.slice(0, MAX_SHOWN_ITEMS).map(show)
  if (items.length > MAX_SHOWN_ITEMS) shown.push(`… ${items.length - MAX_SHOWN_ITEMS} more`)
  return shown.join(', ')
}

function toText(value: ArgumentValue, type: string, context: LineContext): string {
  if (typeof value === 'bigint') return amount(value)
  if (typeof value === 'boolean') return `${value}`
  if (typeof value !== 'string') {
    const element = /^(.*)\[\d*\]$/.exec(type)?.[1]
    if (element === undefined) {
      const fields = value as readonly Argument[]
      const named = fields.every(({ name }) => name !== '')
      return named ? `{ ${list(fields, { ...context, withNames: true })} }` : `(${list(fields, context)})`
    }
    return `[${bounded(value as readonly ArgumentValue[], (one) => toText(one, element, context))}]`
  }
  if (type === 'string') return `"${cutText(value).replaceAll('"', '\\"')}"`
  return type === 'address' ? nameOf(value as Hex, context) : cutHex(value as Hex)
}

function nameOf(address: Hex | undefined, { names }: LineContext): string {
  const name = address && names[address]
  return name === undefined ? `${address}` : `${printable(name)}: [${address}]`
}

const SIGNIFICANT = 4

/** Formats a number. A number of 7 digits or more is repeated with an exponent. */
function amount(value: bigint): string {
  const digits = `${value < 0n ? -value : value}`
  if (digits.length < 7) return `${value}`
  const fraction = digits.slice(1, SIGNIFICANT).replace(/0+$/, '')
  const mantissa = `${value < 0n ? '-' : ''}${digits[0]}${fraction === '' ? '' : `.${fraction}`}`
  return `${value} [${mantissa}e${digits.length - 1}]`
}

function cutHex(hex: Hex): string {
  if (hex.length <= MAX_SHOWN_CHARACTERS) return hex
  return `${hex.slice(0, MAX_SHOWN_CHARACTERS)}… (${hex.length / 2 - 1} bytes)`
}

function cutText(text: string): string {
  const rest = text.length > MAX_SHOWN_CHARACTERS ? `… (${text.length} characters)` : ''
  return printable(text.slice(0, MAX_SHOWN_CHARACTERS)) + rest
}

/** Returns the cause of a failure and its Solidity stack; empty if unknown. */
export function linesOfSolidity({ solidity }: Explanation): readonly string[] {
  return solidity === undefined ? [] : solidityLines(solidity).map(printable)
}
