/** Code that is compiled to WebAssembly before it has run for long. */
import type { BlockCosts, Code } from '../../../../src/ethereum/evm/engine/code.ts'
import { compilation } from '../../../../src/ethereum/evm/engine/hotCode.ts'
import { CompiledCode, imports } from '../../../../src/ethereum/evm/jit/compiledCode.ts'
import { compile } from '../../../../src/ethereum/evm/jit/trace.ts'

type Run = ConstructorParameters<typeof CompiledCode>[1]['run']

/** The host's WebAssembly; tests are typed without the DOM. */
const { Module, Instance } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      Module: new (bytes: Uint8Array<ArrayBuffer>) => object
      Instance: new (module: object, imports: object) => { readonly exports: { readonly run: Run } }
    }
  }
).WebAssembly

/** Compiles all blocks of code at once, even if it would not be faster. Compiled code is entered wherever possible, although it may take more time. */
export function compileAll(code: Code, costs: BlockCosts): CompiledCode {
  const starts = [...code.blockAt.keys()].filter((pc) => code.blockAt[pc] !== 0)
  const work = compile(code, costs, starts)
  let step = work.next()
  while (step.done !== true) step = work.next()
  const { exports } = new Instance(new Module(step.value.bytes), imports())
  return new CompiledCode(step.value, exports, Number.POSITIVE_INFINITY)
}

/** Has all code compiled after its first block. @returns what undoes it. */
export function compileEverything(): () => void {
  const before = { ...compilation }
  Object.assign(compilation, { gas: 1, threshold: 1, compile: compileAll })
  return () => {
    Object.assign(compilation, before)
  }
}
