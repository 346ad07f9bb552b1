/** A remote that asks once for the proofs of one account that are asked for at the same time. */

import { splitBySize } from '../../base/collections.ts'
import { SchemaError } from '../../base/errors.ts'
import { isObject } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import { type Remote, type RemoteRequest, readAnswer } from './remote.ts'

/** Slots of one request, as go-ethereum limits them. */
const MAX_SLOTS = 1024

const METHOD = 'eth_getProof'

/** A request for proofs, until it is settled. */
interface Waiting {
  readonly request: RemoteRequest
  readonly slots: readonly Hex[]
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/**
 * Merges requests of eth_getProof for the same account and block that begin at once. Each gets the part that it asked for,
 * in the shape of an answer of its own: a cache above keeps one answer for each key, however keys came together.
 */
export function withMergedProofs(remote: Remote): Remote {
  let waiting: Waiting[] = []

  const send = (): void => {
    const groups = new Map<string, Waiting[]>()
    for (const one of waiting) {
      const [address, , block] = one.request.params
      const name = JSON.stringify([address, block, one.request.isPinned])
      const group = groups.get(name)
      if (group === undefined) groups.set(name, [one])
      else group.push(one)
    }
    waiting = []
    for (const group of groups.values())
      for (const part of splitBySize(group, MAX_SLOTS, ({ slots }) => slots.length))
        void askTogether(remote, part)
  }

  const ask = <Result>(request: RemoteRequest<Result>): Promise<Result> => {
    if (request.method !== METHOD) return remote.ask(request)
    return new Promise<Result>((resolve, reject) => {
      // In a microtask that comes before the one in which trips begin.
      if (waiting.length === 0) queueMicrotask(send)
      waiting.push({
        request,
        slots: request.params[1] as readonly Hex[],
        resolve: resolve as Waiting['resolve'],
        reject,
      })
    })
  }

  return {
    ask,
    askAll: (requests) => Promise.allSettled(requests.map(ask)),
    cached: (request) => remote.cached(request),
    close: () => remote.close(),
  }
}

async function askTogether(remote: Remote, group: readonly Waiting[]): Promise<void> {
  const [{ request }] = group as readonly [Waiting]
  const slots = [...new Set(group.flatMap((one) => one.slots))]
  try {
    const [address, , block] = request.params
    const params = [address, slots, block]
    const answer = await remote.ask({
      ...request,
      params,
      read: (value) => requireCount(value, slots.length),
    })
    for (const one of group) {
      const own = partOf(answer, one.slots, slots)
      readAnswer(one.request, own).then(one.resolve, one.reject)
    }
  } catch (error) {
    for (const one of group) one.reject(error)
  }
}

/** An answer with as many proofs of slots as were asked for. */
function requireCount(answer: unknown, count: number): Record<string, unknown> {
  if (!isObject(answer)) throw new SchemaError('', 'an object')
  const proofs = answer['storageProof']
  if (Array.isArray(proofs) && proofs.length === count) return answer
  throw new SchemaError('.storageProof', `an array of ${count} proofs`)
}

function partOf(answer: Record<string, unknown>, own: readonly Hex[], all: readonly Hex[]): unknown {
  const proofs = answer['storageProof'] as readonly unknown[]
  return { ...answer, storageProof: own.map((slot) => proofs[all.indexOf(slot)]) }
}
