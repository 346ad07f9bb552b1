/** The code of a frame: it is analysed before it runs. */
import { Analysis, analysed, keepAnalysis } from './code.ts'
import type { Frame } from './frame.ts'

/** The bytes of code that are analysed between two looks at the clock, in about a millisecond. */
const ANALYSED_AT_ONCE = 2 ** 17

/** Sets the code that a frame is to run. Initcode is run once, so that its analysis is not cached. */
export function loadCode(frame: Frame, bytes: Uint8Array, isInitCode = false): void {
  const { machine } = frame
  const { instructions } = machine
  const cached = isInitCode ? undefined : analysed(bytes, instructions)
  if (cached !== undefined) {
    frame.code = cached
    return
  }
  machine.work += bytes.length
  const analysis = new Analysis(bytes, instructions)
  const isDone = (): boolean => {
    if (!analysis.advance(ANALYSED_AT_ONCE)) return false
    frame.code = analysis.code()
    if (!isInitCode) keepAnalysis(frame.code, instructions)
    return true
  }
  if (!isDone()) machine.doFirst(isDone)
}
