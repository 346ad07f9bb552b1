/** Results in the form of Hardhat's network: true for what is done, decimal digits for times, null for unknown filters. */
import type { Address } from '../../base/types.ts'
import type { DialectExtension } from '../dialectExtension.ts'
import { FilterNotFoundError } from '../errors.ts'
import type { RpcContext } from '../method.ts'

/** A request of a method that has a result of its own. */
interface Request {
  readonly context: RpcContext
  readonly values: readonly unknown[]
  /** Answers it as in the other dialects. */
  answer(): unknown
}

/** See `DialectExtension.adapt`. */
export const adapt: DialectExtension['adapt'] = (name, method) => {
  const run = RESULTS[name.slice(name.indexOf('_') + 1)]
  return {
    ...method,
    handler(context, ...values) {
      const answer = () => method.handler(context, ...values)
      return run === undefined ? done(answer()) : run({ context, values, answer })
    },
  }
}

/** The methods with a result of their own, by name without prefix; of the others, null becomes true. */
const RESULTS: Readonly<Record<string, (request: Request) => Promise<unknown>>> = {
  increaseTime: async ({ answer }) => String(Number(await answer())),
  setNextBlockTimestamp: async ({ values, answer }) => {
    await answer()
    return String(values[0])
  },
  async mine({ answer }) {
    const result = await answer()
    return result === null ? true : String(Number(result))
  },
  async stopImpersonatingAccount({ context, values, answer }) {
    const wasImpersonated = context.send.signers.impersonation.accounts.has(values[0] as Address)
    await answer()
    return wasImpersonated
  },
  getFilterChanges: ({ answer }) => nullIfUnknown(answer),
  getFilterLogs: ({ answer }) => nullIfUnknown(answer),
}

async function done(answer: unknown): Promise<unknown> {
  return (await answer) ?? true
}

async function nullIfUnknown(answer: () => unknown): Promise<unknown> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof FilterNotFoundError) return null
    throw error
  }
}
