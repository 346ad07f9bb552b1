/**
 * Two processes that measure by turns: a busy machine slows for seconds at a time, and so both alike. One goes on while
 * the other waits; a process that was started by itself never waits.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** What makes a process take turns, if it is in its environment. */
const TAKES_TURNS = 'BENCH_TAKES_TURNS'
const GO_ON = 'go on'
const YOUR_TURN = 'your turn'

/** The environment of a process that is to take turns. */
export const takingTurns = { [TAKES_TURNS]: '1' }

/** In a measuring process: waits until it is its turn. To be called before anything is measured. */
export async function ownTurn(): Promise<void> {
  if (process.env[TAKES_TURNS] !== undefined) await once(process, 'message')
}

/** In a measuring process: lets the other one go on. */
export async function letOtherMeasure(): Promise<void> {
  if (process.env[TAKES_TURNS] === undefined) return
  process.send?.(YOUR_TURN)
  await ownTurn()
}

/** What each of the processes sends at its end; the first begins. */
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

/** @throws Error if the process ends without one, and then it has said why. */
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
