/** Finds the codes that a transaction ran: that of the account it called, and of a proxy also its implementation's. */

import { hexToBytes } from '../../base/bytes.ts'
import type { PresealRpcTransaction } from '../../base/rpcTypes.ts'
import type { Address, Hex } from '../../base/types.ts'
import { BEACON_SLOT, delegateOf, IMPLEMENTATION_SLOT, usesSlot } from '../../inspect/explain/code.ts'
import type { Provider } from '../../rpc/provider.ts'

/** A provider of a view that has pre-confirmed state. */
export type Reader = Pick<Provider, 'request'>

/** What is used of a frame of callTracer. */
interface Frame {
  readonly type: string
  readonly to?: Address
  readonly input: Hex
  readonly calls?: readonly Frame[]
}

/** The most proxies of proxies that are followed. */
const MAX_PROXIES = 4

/**
 * The code at an address, and of a proxy also the implementation's that the transaction ran; none if it cannot be read.
 *
 * Clones (EIP-1167) and delegated accounts (EIP-7702) always run the other code. A call of a proxy of EIP-1967 is executed again: what
 * it did not pass on by DELEGATECALL, such as an upgrade by its administrator, is the proxy's own.
 *
 * @param call - the transaction that called it; undefined if it was created.
 */
export async function readCodes(
  reader: Reader,
  address: Address,
  call: PresealRpcTransaction | undefined,
): Promise<Hex[]> {
  const codes: Hex[] = []
  let path: readonly Frame[] | undefined
  // The code at an address may be run by the frame of another one (EIP-7702).
  let [at, account] = [address, address]
  try {
    while (codes.length < MAX_PROXIES) {
      const code = await reader.request({ method: 'eth_getCode', params: [at, 'pending'] })
      codes.push(code)
      if (call === undefined) break
      const bytes = hexToBytes(code)
      const delegate = delegateOf(bytes)
      if (delegate !== undefined) {
        at = delegate.to
        if (delegate.kind === 'clone') account = at
        continue
      }
      if (!usesSlot(bytes, IMPLEMENTATION_SLOT) && !usesSlot(bytes, BEACON_SLOT)) break
      path ??= pathOf(await trace(reader, call))
      const next: Address | undefined = path[path.findIndex(({ to }) => to === account) + 1]?.to
      if (next === undefined) break
      at = next
      account = next
    }
  } catch {
    // The chain was closed, the transaction was withdrawn, or a fork does not have the value: what was read is used.
  }
  return codes
}

/** The frames of a transaction; of one that was withdrawn since, as a call on the state that there is now. */
async function trace(reader: Reader, transaction: PresealRpcTransaction): Promise<Frame> {
  const { hash, from, to, input, value, gas } = transaction
  const options = { tracer: 'callTracer' } as const
  const traced = await reader
    .request({ method: 'debug_traceTransaction', params: [hash, options] })
    .catch(() =>
      reader.request({
        method: 'debug_traceCall',
        params: [{ from, to: to!, data: input, value, gas }, 'pending', options],
      }),
    )
  return traced as unknown as Frame
}

/** The frames from the outermost one on that pass their whole calldata on by DELEGATECALL, and the one that runs it. */
function pathOf(root: Frame): Frame[] {
  const path = [root]
  for (let frame = root; path.length <= MAX_PROXIES; ) {
    const { calls = [], input }: Frame = frame
    // A clone with arguments adds them to the calldata.
    const next: Frame | undefined = calls.find(
      (call) =>
        call.type === 'DELEGATECALL' &&
        (call.input === input || (input.length >= 10 && call.input.startsWith(input))),
    )
    if (next === undefined) break
    path.push(next)
    frame = next
  }
  return path
}
