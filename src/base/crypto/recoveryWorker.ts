/**
 * The script of a worker that recovers public keys. No module imports it: the build makes it one text without imports,
 * which `recoveryScript.ts` exports, and of which `recoveryPool.ts` starts workers.
 *
 * The first message is the binary of secp256k1, which the text leaves out; it is answered with `true` once requests can
 * be sent, or with `false` if the host refuses WebAssembly here. All others are requests.
 */
import { answerRequest } from './recoveryMessages.ts'
import { type Curve, instantiateCurve } from './secp256k1Wasm.ts'

interface Port {
  onmessage: (event: { readonly data: Uint8Array<ArrayBuffer> }) => void
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void
}

interface WorkerHost {
  readonly process?: { getBuiltinModule?(name: string): { readonly parentPort: Port | null } | undefined }
}

const host = globalThis as unknown as WorkerHost & Port
const port: Port = host.process?.getBuiltinModule?.('node:worker_threads')?.parentPort ?? host

let curve: Curve | undefined

async function open(binary: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    curve = await instantiateCurve(binary)
    port.postMessage(true)
  } catch {
    port.postMessage(false)
  }
}

port.onmessage = ({ data }) => {
  if (curve === undefined) {
    open(data)
    return
  }
  const answer = answerRequest(data, curve)
  port.postMessage(answer, [answer.buffer])
}
