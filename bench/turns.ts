/**
 * Two processes that measure in turns: a busy machine is slow for seconds at a time, which then affects both equally.
 * One continues while the other waits; a process that was started alone never waits.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The environment variable that makes a process take turns. */
const TAKES_TURNS = 'BENCH_TAKES_TURNS'
const GO_ON = 'go on'
const YOUR_TURN = 'your turn'

/** The environment of a process that takes turns. */
export const takingTurns = { [TAKES_TURNS]: '1' }

/** In a measuring process: waits for its turn. Must be called before anything is measured. */
export async function awaitTurn(): Promise<void> {
  if (process.env[TAKES_TURNS] !== undefined) await once(process, 'message')
}

/** In a measuring process: passes the turn to the other one. */
export async function passTurn(): Promise<void> {
  if (process.env[TAKES_TURNS] === undefined) return
  process.send?.(YOUR_TURN)
  await awaitTurn()
}

/** The result that each process sends at its end; the first one begins. */
export async function measureInTurns<Result>(processes: readonly ChildProcess[]): Promise<Result[]> {
  const results = new Map<ChildProcess, Result>()
  const left = [...processes]
  while (left.length > 0) {
    const child = left.shift()!
    const message = nextMessage<Result | typeof YOUR_TURN>(child)
    child.send(GO_ON)
    const sent = await message
    if (sent === YOUR_TURN) left.push(child)
    else results.set(child, sent)
  }
  return processes.map((child) => results.get(child)!)
}

/** @throws Error if the process ends without a result, after it printed the reason. */
function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('a measuring process ended early'))
    child.once('disconnect', ended)
    child.once('message', (message) => {
      child.off('disconnect', ended)
      resolve(message as Message)
    })
  })
}
