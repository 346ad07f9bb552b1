/**
 * The first steps of a user, run on every runtime: a transfer that is pre-confirmed, then sealed; under the
 * manual clock, and under the system's. Plain EIP-1193, so that it needs only the package.
 */
import { createChain, createManualClock } from 'preseal'

/** One ether from the first dev account to the second: chain 31337, nonce 0. */
const TRANSFER =
  '0x02f870827a69808084773594008252089470997970c51812dc3a010c7d01b50e0d17dc79c8880de0b6b3a764000080c080a076b62c074cc749c9c54d2adf0c1feb21e22a4f52d4e82df4f3eed6b86bfcb126a027983be9535e1c39a97bb7a87a35881231386f71767f82ea9f95fccc044fcc94'

/** The results of the story. */
export interface StoryResult {
  /** Hash of the last preconf block before the seal, under the manual clock: the same in every environment. */
  readonly preconfirmed: string
  /** Whether `standard` had the receipt before the seal. */
  readonly knownBefore: boolean
  /** Hash of the sealed block on `standard`. */
  readonly sealed: string
  /** Under the system's clock: status of the pre-confirmed receipt, and of the sealed one. */
  readonly timed: readonly string[]
  /** The modules that ran in WebAssembly. */
  readonly wasm: readonly string[]
}

/** Runs the story, and closes everything. */
export async function story(): Promise<StoryResult> {
  const wasm = watchWasm()
  return { ...(await underManualClock()), timed: await underSystemClock(), wasm: wasm() }
}

/** The first part of the story, the same in every environment. */
export async function underManualClock() {
  const clock = createManualClock()
  const chain = await createChain({ clock })
  const hash = await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [TRANSFER] })
  await clock.advance(1800)
  const preconfirmed = await chain.preconf.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  const before = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  await clock.advance(200)
  const sealed = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  await chain.close()
  return { preconfirmed: preconfirmed!.blockHash, knownBefore: before !== null, sealed: sealed!.blockHash }
}

async function underSystemClock() {
  const chain = await createChain()
  const sealed = new Promise<string>((resolve) => {
    chain.on('block', ({ receipts: [receipt] }) => {
      if (receipt !== undefined) resolve(receipt.status!)
    })
  })
  const sent = await chain.preconf.request({ method: 'eth_sendRawTransactionSync', params: [TRANSFER] })
  const statuses = [sent.status!, await sealed]
  await chain.close()
  return statuses
}

interface WasmInstance {
  readonly exports: object
}

/** The modules of the package that are instantiated from now on: Node has its own WebAssembly too. */
function watchWasm(): () => readonly string[] {
  const found: string[] = []
  const wasm: {
    instantiate(...rest: unknown[]): Promise<WasmInstance | { readonly instance: WasmInstance }>
  } = Reflect.get(globalThis, 'WebAssembly')
  const { instantiate } = wasm
  wasm.instantiate = async (...rest) => {
    const result = await instantiate(...rest)
    const { exports } = 'instance' in result ? result.instance : result
    if ('finish' in exports) found.push('keccak256')
    if ('recover' in exports) found.push('secp256k1')
    return result
  }
  return () => found
}
