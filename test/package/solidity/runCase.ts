/** Runs a case of the corpus on a chain. */

import type { SolidityTrace } from '../../../src/base/solidityTrace.ts'
import type { Address, Hex } from '../../../src/base/types.ts'
import type { PresealChain } from '../../../src/index.ts'
import type { Case } from './cases.ts'
import type { Compiled } from './compile.ts'

/** What a case sends. `$0` in a text is the address that the first deployment has got, without its 0x, and so on. */
export interface Requests {
  /** The initcodes of what is deployed first. */
  readonly deployments: readonly string[]
  /** The call that fails. */
  readonly call: { readonly from: Address; readonly value: Hex; readonly gas: Hex } & Readonly<
    Record<'to' | 'data', string | undefined>
  >
}

/** What a case sends. */
export function requestsOf({ output }: Compiled, one: Case, from: Address): Requests {
  const contracts = output.contracts[`contracts/${one.name}.sol`]!
  const codeOf = (name: string) => `0x${contracts[name]!.evm.bytecode.object}`
  const libraries = one.libraries ?? []
  const creation = libraries.reduce((code, _, i) => code.replace(/__.{36}__/g, `$$${i}`), codeOf('C'))
  const initcode = `${creation}${one.creationArgs ?? ''}`
  const call = { from, value: toHex(one.value ?? 0n), gas: toHex(one.gas ?? 1_000_000n) }
  if (one.isCreation) {
    return { deployments: libraries.map(codeOf), call: { ...call, to: undefined, data: initcode } }
  }
  return {
    deployments: [...libraries.map(codeOf), initcode],
    call: {
      ...call,
      to: `0x$${libraries.length}`,
      data: dataOf(one, contracts['C']!.evm.methodIdentifiers),
    },
  }
}

/** Deploys the contracts of a case and sends the call that fails. @returns the trace of its error. */
export async function runCase(
  chain: PresealChain,
  compiled: Compiled,
  one: Case,
): Promise<SolidityTrace | undefined> {
  const { address: from } = chain.accounts[0]!
  const { deployments, call } = requestsOf(compiled, one, from)
  const addresses: Address[] = []
  const place = (text: string) => text.replace(/\$(\d)/g, (_, i) => addresses[i]!.slice(2)) as Hex
  for (const deployment of deployments) {
    const hash = await chain.standard.request({
      method: 'eth_sendTransaction',
      params: [{ from, data: place(deployment), gas: '0x500000' }],
    })
    const receipt = await chain.standard.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    if (receipt?.status !== '0x1') throw new Error(`${one.name} cannot be deployed`)
    addresses.push(receipt.contractAddress!)
  }
  const { to, data } = call
  const request = { ...call, data: place(data!), ...(to !== undefined && { to: place(to) }) }
  try {
    await chain.standard.request({ method: 'eth_call', params: [request, 'latest'] })
  } catch (error) {
    return (error as { solidity?: SolidityTrace }).solidity
  }
  throw new Error(`${one.name} does not fail`)
}

const toHex = (value: bigint): Hex => `0x${value.toString(16)}`

function dataOf({ data, args = '', call = 'f' }: Case, methods: Readonly<Record<string, string>>): Hex {
  if (data !== undefined && data !== '0xlibrary') return data as Hex
  const selector = Object.entries(methods).find(([signature]) => signature.startsWith(`${call}(`))
  return `0x${selector![1]}${args}`
}
