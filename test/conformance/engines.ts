/** The engines that official tests can run on. */
import type { Crypto } from '../../src/base/crypto/crypto.ts'
import { createPresealEngine } from '../../src/ethereum/evm/engine/presealEngine.ts'
import type { Engine } from '../../src/ethereum/evm/engine.ts'
import { createEthereumjsEngine } from '../../src/ethereum/evm/ethereumjs/engine.ts'
import { compileEverything } from '../ethereum/evm/jit/compiling.ts'

/** Creates an engine. */
export type CreateEngine = (crypto: Crypto) => Engine

/** The engines by name. */
export const ENGINES: Readonly<Record<string, CreateEngine>> = {
  preseal: createPresealEngine,
  /** With all code compiled to WebAssembly, for the whole process. */
  compiled(crypto) {
    compileEverything()
    return createPresealEngine(crypto)
  },
  ethereumjs: createEthereumjsEngine,
}

/** The engine of a chain that is not given another. */
export const OWN_ENGINE: CreateEngine = createPresealEngine
