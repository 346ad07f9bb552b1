/** The EVM of a chain, and its decoder of transactions. */
import type { Crypto } from '../../base/crypto/crypto.ts'
import { lazily } from '../../base/missing.ts'
import type { EngineName } from '../../base/types.ts'
import { type DecodeTransaction, decodeTransaction } from '../../ethereum/decodeTransaction.ts'
import type { Engine } from '../../ethereum/evm/engine.ts'

/** What the option `engine` selects. The second engine is loaded on demand, since most chains never use it. */
export async function openEngine(
  name: EngineName,
  crypto: Crypto,
): Promise<{ readonly engine: Engine; readonly decode: DecodeTransaction }> {
  if (name === 'preseal') return { engine: presealEngine(crypto), decode: decodeTransaction }
  const [{ createEthereumjsEngine }, { decodeEthereumjsTransaction }] = await Promise.all([
    import('../../ethereum/evm/ethereumjs/engine.ts'),
    import('../import/ethereumjsTransaction.ts'),
  ])
  return { engine: createEthereumjsEngine(crypto), decode: decodeEthereumjsTransaction }
}

/** Shared by all chains: only the first message of a process waits for it. */
const preseal = lazily(() => import('../../ethereum/evm/engine/presealEngine.ts'))

/** preseal's own engine, whose code is loaded with the first message: neither a new chain nor a transfer needs it. */
function presealEngine(crypto: Crypto): Engine {
  let engine: Engine | undefined
  return {
    run(message, env, overlay, watch, pause) {
      engine ??= preseal().createPresealEngine(crypto)
      return engine.run(message, env, overlay, watch, pause)
    },
  }
}
