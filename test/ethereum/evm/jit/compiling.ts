/** Code that is compiled to WebAssembly before it has run for long. */
import type { BlockCosts, Code } from '../../../../src/ethereum/evm/engine/code.ts'
import { compilation } from '../../../../src/ethereum/evm/engine/hotCode.ts'
import { type CompiledCode, compileCodeNow } from '../../../../src/ethereum/evm/jit/compiledCode.ts'

/** Compiles all blocks of code. Compiled code is entered wherever possible, although it may take more time. */
export function compileAll(code: Code, costs: BlockCosts): CompiledCode {
  const starts = [...code.blockAt.keys()].filter((pc) => code.blockAt[pc] !== 0)
  return compileCodeNow(code, costs, starts, Number.POSITIVE_INFINITY)
}

/** Has all code compiled after its first block. @returns what undoes it. */
export function compileEverything(): () => void {
  const before = { ...compilation }
  Object.assign(compilation, { gas: 1, threshold: 1, compile: compileAll })
  return () => {
    Object.assign(compilation, before)
  }
}
