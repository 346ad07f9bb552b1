/** Makes a recorded execution readable: names, arguments, results, errors and events by the artifacts. */
import { bytesToHex, hexToBytes } from '../../base/bytes.ts'
import type { ConsoleDecoder } from '../../core/trace/consoleDecoder.ts'
import { toRevertReason } from '../../core/trace/revertReason.ts'
import { type AbiDecoder, decodeArguments } from './abi.ts'
import { Accounts, type KnownAccount } from './accounts.ts'
import type { PreparedArtifacts } from './preparedArtifacts.ts'
import type { RecordedEvent, RecordedFrame, RecordedItem, Recorder } from './recorder.ts'
import { toErrorResult } from './results.ts'
import type { ExplainedEvent, ExplainedFrame, ExplainedItem, Explanation } from './tree.ts'

/** An explained execution, without what it is an execution of. */
export type ExplainedRecord = Pick<Explanation, 'names' | 'root' | 'notes'>

/** The gas of a transaction, which that of its outermost frame leaves out in part. */
export interface TransactionGas {
  readonly gasLimit: bigint
  readonly gasUsed: bigint
}

/**
 * Explains an execution after its end.
 *
 * @throws Missing if a code that is read for its name is not loaded.
 */
export function explainRecord(
  recorder: Recorder,
  artifacts: PreparedArtifacts,
  { gasLimit, gasUsed }: TransactionGas,
): ExplainedRecord {
  const accounts = new Accounts(recorder, artifacts)
  const explainer = new Explainer(accounts, artifacts)
  const root: ExplainedFrame = { ...explainer.frame(recorder.root), gas: gasLimit, gasUsed }
  return {
    root,
    names: accounts.names(),
    notes: [...artifacts.notes, ...accounts.notes(), ...notesOf(recorder)],
  }
}

function notesOf({ omitted, cut, limits }: Recorder): string[] {
  return [
    ...(omitted > 0
      ? [`${omitted} calls, events and writes are left out: at most ${limits.items} are kept`]
      : []),
    ...(cut > 0
      ? [`the data of ${cut} calls is cut to 4 bytes: at most ${limits.bytes} bytes are kept in all`]
      : []),
  ]
}

class Explainer {
  readonly #accounts: Accounts
  readonly #abi: AbiDecoder
  readonly #console: ConsoleDecoder

  constructor(accounts: Accounts, { abi, console }: PreparedArtifacts) {
    this.#accounts = accounts
    this.#abi = abi
    this.#console = console
  }

  frame(recorded: RecordedFrame): ExplainedFrame {
    const { type, from, value, gas, gasUsed, input, output, error, omitted } = recorded
    const to = recorded.to ?? recorded.created
    // A beneficiary runs nothing.
    const account = type === 'SELFDESTRUCT' ? {} : this.#accounts.ofFrame(recorded)
    const { contract, kind } = account
    const decoded = this.#called(recorded, account)
    const { outputs, ...called } = decoded ?? {}
    const returned =
      error === undefined && outputs !== undefined && outputs.length > 0
        ? decodeArguments(outputs, output)
        : undefined
    const reverted = error === 'execution reverted'
    const revert = reverted ? this.#abi.revert(contract, output) : undefined
    const reason = reverted ? toRevertReason(output) : undefined
    return {
      kind: 'frame',
      type,
      from,
      ...(to !== undefined && { to }),
      ...(contract && { contract: contract.name }),
      ...(kind && { account: kind }),
      ...(decoded && { function: called as ExplainedFrame['function'] & object }),
      value,
      gas,
      gasUsed,
      input: bytesToHex(input),
      output: bytesToHex(output),
      result: error === undefined ? endOf(recorded) : toErrorResult(error),
      ...(returned && { returned }),
      ...(error !== undefined && { error }),
      ...(revert && { revert }),
      ...(reason !== undefined && { reason }),
      ...(kind === 'console' && { console: this.#console.decode({ address: from, data: input }).message }),
      items: recorded.items.map((item) => this.#item(item, account)),
      ...(omitted > 0 && { omitted }),
    }
  }

  #called({ type, input }: RecordedFrame, { contract, kind }: KnownAccount) {
    if (type === 'SELFDESTRUCT' || kind === 'console' || kind === 'precompile') return undefined
    if (type !== 'CREATE' && type !== 'CREATE2') return this.#abi.call(contract, input)
    const created = contract && this.#abi.creation(contract, input)
    return created && { ...created, outputs: [] }
  }

  #item(item: RecordedItem, account: KnownAccount): ExplainedItem {
    if (item.kind === 'frame') return this.frame(item)
    if (item.kind === 'event') return this.#event(item, account)
    return item
  }

  #event({ kind, address, topics, data }: RecordedEvent, { contract }: KnownAccount): ExplainedEvent {
    const event = this.#abi.event(contract, topics, hexToBytes(data))
    return { kind, address, topics, data, ...(event && { event }) }
  }
}

/** How a frame ended that did not fail. */
function endOf({ type, items, output }: RecordedFrame): string {
  const last = items.at(-1)
  if (last?.kind === 'frame' && last.type === 'SELFDESTRUCT' && last.error === undefined)
    return 'SelfDestruct'
  if (type === 'SELFDESTRUCT') return 'Stop'
  return output.length > 0 || type === 'CREATE' || type === 'CREATE2' ? 'Return' : 'Stop'
}
