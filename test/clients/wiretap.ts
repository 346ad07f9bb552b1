/** A provider for clients that records every request. */
import { expect, onTestFinished } from 'vitest'
import type { PresealRpcError, Provider } from '../../src/index.ts'

/** A request of a client, and the error code of its answer. */
export interface Exchange {
  readonly method: string
  readonly params: unknown
  readonly code?: number
}

/** Codes on which viem or ethers retry; no deterministic error may have one of them. */
const RETRIED = [-1, -32_603, -32_005, -32_002, 429]

/** A provider that records every request. */
export interface Wiretap {
  request(args: { method: string; params?: unknown }): Promise<unknown>
  readonly exchanges: readonly Exchange[]
  /** The methods requested while `act` ran, with the error codes of failed requests. */
  during(act: () => Promise<unknown>): Promise<string[]>
  /** How often a method was answered. */
  count(method: string): number
}

/** Records the requests to a provider. When the test ends, no answer may have a code on which clients retry. */
export function wiretap(provider: Provider): Wiretap {
  const exchanges: Exchange[] = []
  onTestFinished(() => {
    expect(exchanges.filter(({ code }) => code !== undefined && RETRIED.includes(code))).toEqual([])
  })
  return {
    exchanges,
    async request({ method, params }) {
      try {
        const result = await provider.request({ method, params })
        exchanges.push({ method, params })
        return result
      } catch (error) {
        exchanges.push({ method, params, code: (error as PresealRpcError).code ?? -1 })
        throw error
      }
    },
    async during(act) {
      const from = exchanges.length
      await act()
      return exchanges
        .slice(from)
        .map(({ method, code }) => (code === undefined ? method : `${method} ${code}`))
    },
    count: (method) => exchanges.filter((exchange) => exchange.method === method).length,
  }
}
