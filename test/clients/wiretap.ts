/** A provider as a client sees it, with everything that went over it written down. */
import { expect, onTestFinished } from 'vitest'
import type { PresealRpcError, Provider } from '../../src/index.ts'

/** What a client asked for, and the code of the error it got. */
export interface Exchange {
  readonly method: string
  readonly params: unknown
  readonly code?: number
}

/** Codes on which viem or ethers ask again: none may ever answer what is deterministic. */
const RETRIED = [-1, -32_603, -32_005, -32_002, 429]

/** A provider that keeps what went over it. */
export interface Wiretap {
  request(args: { method: string; params?: unknown }): Promise<unknown>
  readonly exchanges: readonly Exchange[]
  /** The methods asked for while `act` ran, with the code where one failed. */
  during(act: () => Promise<unknown>): Promise<string[]>
  /** How often a method was answered. */
  count(method: string): number
}

/** Listens in on a provider. When the test ends, nothing may have been answered with a code that clients retry. */
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
