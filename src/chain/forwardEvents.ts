/** The events of the chain object, forwarded from the parts of the chain. */

import type { Emitter } from '../base/emitter.ts'
import type { ChainEvents } from '../base/eventTypes.ts'
import { printableLines } from '../base/printable.ts'
import type { Core } from '../core/open/core.ts'
import { ConsoleDecoder } from '../core/trace/consoleDecoder.ts'
import type { ConsoleEntry } from '../ethereum/evm/watch.ts'
import type { DialectRules } from '../rpc/dialect.ts'
import { toPreconfBlock, toRetraction, toRpcTransaction, toSealedBlock } from '../rpc/format/format.ts'

/** Forwards the events of the parts to users, in wire JSON; an event without listeners is not formatted. */
export function forwardEvents(
  { transactions, sequencer }: Core,
  dialect: DialectRules,
  events: Emitter<ChainEvents>,
): void {
  transactions.on('added', (tx) => {
    if (events.count('transaction') > 0) events.emit('transaction', toRpcTransaction(tx))
  })
  sequencer.events.on('preconf', (payload) => {
    if (events.count('preconf') > 0) events.emit('preconf', toPreconfBlock(payload, dialect))
  })
  sequencer.events.on('block', ({ block }) => {
    if (events.count('block') > 0) events.emit('block', toSealedBlock(block, dialect))
  })
  sequencer.events.on('retracted', (retraction) => {
    if (events.count('retracted') > 0) events.emit('retracted', toRetraction(retraction))
  })
  sequencer.events.on('dropped', (hash, reason, message) =>
    events.emit('dropped', { hash, reason, ...(message !== undefined && { message }) }),
  )
}

/** The console output of contracts. */
export interface ConsoleOutput {
  /** Forwards the output if it is printed or has listeners; called when either changes. */
  listen(): void
  /** Turns printing on or off. */
  print(on: boolean): void
}

/**
 * Emits the console output of contracts, and prints it if printing is on.
 *
 * @param printed - whether printing is on at the start.
 */
export function forwardConsole(
  { sequencer, config }: Core,
  printed: boolean,
  events: Emitter<ChainEvents>,
  print = printLine,
): ConsoleOutput {
  let prints = printed
  const decoder = new ConsoleDecoder(config.crypto)
  const forward = ({ transactionHash, calls }: ConsoleEntry): void => {
    for (const call of calls) {
      const log = { ...decoder.decode(call), address: call.address, transactionHash }
      if (prints) print(printableLines(log.message))
      events.emit('console', log)
    }
  }
  const output: ConsoleOutput = {
    listen() {
      // The sequencer watches executions only while this event has a listener.
      if (prints || events.count('console') > 0) sequencer.events.on('console', forward)
      else sequencer.events.off('console', forward)
    },
    print(on) {
      prints = on
      output.listen()
    },
  }
  output.listen()
  return output
}

function printLine(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the option prints to the console
  console.log(line)
}
