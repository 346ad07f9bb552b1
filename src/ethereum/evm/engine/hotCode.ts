/**
 * Finds code that runs for a long time, and has it compiled to WebAssembly while the fast loop goes on. Owns: how long
 * each code has run, and the latest modules, for the whole process.
 */
import { getOrInsert } from '../../../base/collections.ts'
import type { CompiledCode } from '../jit/compiledCode.ts'
import type { BlockCosts, Code } from './code.ts'
import type { Frame } from './frame.ts'

/** How often the same code may be compiled. It is compiled again when it runs long in parts that are not compiled. */
const MAX_ATTEMPTS = 4

/** The maximum number of modules kept; each takes up to a megabyte. */
const MAX_MODULES = 32

interface HotCode {
  /** How often the fast loop has run for some ten microseconds and stopped at a place that is not compiled. */
  returns: number
  readonly starts: Set<number>
  attempts: number
  compiled: CompiledCode | undefined
}

/** How hot code is found and compiled. Tests change it, to compile all code before it runs. */
export const compilation: {
  gas: number | undefined
  threshold: number
  isRefused: boolean
  /** @throws Error if the host refuses. */
  compile: (
    code: Code,
    costs: BlockCosts,
    starts: readonly number[],
  ) => CompiledCode | Promise<CompiledCode | undefined>
} = {
  gas: undefined,
  threshold: 64,
  isRefused: false,
  async compile(code, costs, starts) {
    const { compileCode } = await import('../jit/compiledCode.ts')
    return compileCode(code, costs, starts)
  },
}

const hotCodes = new WeakMap<Code, HotCode>()
const createHotCode = (): HotCode => ({ returns: 0, starts: new Set(), attempts: 0, compiled: undefined })
const withModules: HotCode[] = []

/**
 * Continues a frame that has run for a while, in compiled code if there is some.
 *
 * @throws Halt if it ends with an error. @throws Missing if it reads something that is not loaded.
 */
export function runHot(frame: Frame): void {
  const { code } = frame
  const hot = getOrInsert(hotCodes, code, createHotCode)
  if (hot.compiled?.run(frame) === true || compilation.isRefused || hot.attempts >= MAX_ATTEMPTS) return
  hot.starts.add(frame.pc)
  hot.returns += 1
  if (hot.returns < compilation.threshold) return
  hot.returns = Number.NEGATIVE_INFINITY
  hot.attempts += 1
  void compileHot(hot, code, frame.machine.instructions)
}

async function compileHot(hot: HotCode, code: Code, costs: BlockCosts): Promise<void> {
  try {
    const compiled = compilation.compile(code, costs, [...hot.starts])
    hot.compiled = (compiled instanceof Promise ? await compiled : compiled) ?? hot.compiled
  } catch {
    // A page may forbid WebAssembly. The fast loop does all that compiled code does.
    compilation.isRefused = true
    return
  }
  hot.returns = 0
  if (hot.compiled === undefined || withModules.includes(hot)) return
  withModules.push(hot)
  if (withModules.length > MAX_MODULES) withModules.shift()!.compiled = undefined
}
