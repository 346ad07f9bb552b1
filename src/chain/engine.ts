/** The EVM of a chain, and its decoder of transactions. */
import type { Crypto } from '../crypto/crypto.ts'
import type { Engine } from '../evm/engine.ts'
import { createPresealEngine } from '../evm/preseal/engine.ts'
import type { EngineName } from '../primitives/types.ts'
import { type DecodeTransaction, decodeTransaction } from '../protocol/decodeTransaction.ts'

/** What the option `engine` selects. The second engine is loaded on demand, since most chains never use it. */
export async function openEngine(
  name: EngineName,
  crypto: Crypto,
): Promise<{ readonly engine: Engine; readonly decode: DecodeTransaction }> {
  if (name === 'preseal') return { engine: createPresealEngine(crypto), decode: decodeTransaction }
  const [{ createEthereumjsEngine }, { decodeEthereumjsTransaction }] = await Promise.all([
    import('../evm/ethereumjs/engine.ts'),
    import('../import/ethereumjsTransaction.ts'),
  ])
  return { engine: createEthereumjsEngine(crypto), decode: decodeEthereumjsTransaction }
}
