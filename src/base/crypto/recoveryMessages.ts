/** The messages between a thread and the workers that recover public keys for it: bytes of a fixed size per signature. */
import type { Curve } from './secp256k1Wasm.ts'

/** Bytes per signature of a request: hash ‖ r ‖ s ‖ yParity. */
export const REQUEST_SIZE = 97
/** Bytes per signature of an answer: 1 ‖ public key, or zeros if no key can be recovered. */
export const ANSWER_SIZE = 65

/** The answer to a request. */
export function answerRequest(request: Uint8Array, curve: Curve): Uint8Array<ArrayBuffer> {
  const count = request.length / REQUEST_SIZE
  const answer = new Uint8Array(count * ANSWER_SIZE)
  for (let i = 0; i < count; i++) {
    const at = i * REQUEST_SIZE
    const part = (from: number, to: number) => request.subarray(at + from, at + to)
    const key = curve.recover(part(0, 32), part(32, 64), part(64, 96), request[at + 96]!)
    if (key === undefined) continue
    answer[i * ANSWER_SIZE] = 1
    answer.set(key, i * ANSWER_SIZE + 1)
  }
  return answer
}

/** The public key of the signature at an index, 64 bytes; undefined if the worker recovered none. */
export function readKey(answer: Uint8Array, index: number): Uint8Array | undefined {
  const at = index * ANSWER_SIZE
  return answer[at] === 1 ? answer.slice(at + 1, at + ANSWER_SIZE) : undefined
}
