/** Uncaught exceptions and rejections, which would end the process. */
import process from 'node:process'
import { onTestFinished } from 'vitest'

const EVENTS = ['unhandledRejection', 'uncaughtException'] as const

/** Collects them until the test ends, in place of vitest, which would fail the run. */
export function collectUncaught(): readonly unknown[] {
  const uncaught: unknown[] = []
  const collect = (error: unknown): void => void uncaught.push(error)
  for (const event of EVENTS) {
    const listeners = process.rawListeners(event) as (() => void)[]
    process.removeAllListeners(event)
    process.on(event as 'uncaughtException', collect)
    onTestFinished(() => {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event as 'uncaughtException', listener)
    })
  }
  return uncaught
}
