/** A contract with every part that coverage counts, compiled, and a chain that has it. */
import { type Abi, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { onTestFinished } from 'vitest'
import type { Provider } from '../../../src/index.ts'
import { startCoverage, stopCoverage } from '../../../src/kits/coverage/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { solc } from '../../tools/compile.ts'

export const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
interface Shape { function area() external view returns (uint); }
contract Vault {
  uint public total;
  uint immutable start;
  error Bad(uint x);
  modifier small(uint x) { require(x < 1000, "big"); _; }
  constructor(uint from) { start = from; }
  function f(uint x) external small(x) returns (uint) {
    require(x > 5, "low");
    if (x == 8) revert Bad(x);
    if (x == 9) { total = 1; } else { total = 2; }
    uint y = x > 10 ? 1 : 2;
    for (uint i = 0; i < 3; i++) { y += i; }
    return y + start;
  }
  function empty() external {}
  function twice(uint x) external pure returns (uint) { return x * 2; }
  function never() external { total = 3; }
}
`

/** A build info, as far as tests change it. */
export interface TestBuildInfo {
  readonly input: { sources: Record<string, { content?: string }>; settings: object }
  readonly output: {
    sources: Record<string, { ast?: unknown }>
    contracts: Record<
      string,
      Record<string, { abi: Abi; evm: { deployedBytecode: TestCode; bytecode: TestCode } }>
    >
  }
}

interface TestCode {
  object: string
  sourceMap: string
}

const compiled = new Map<string, string>()

/** Compiles the contract; each caller has its own copy. */
export function compileVault(settings: object = {}, source = SOURCE): TestBuildInfo {
  const outputs = ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers']
  const input = {
    language: 'Solidity',
    sources: { 'contracts/Vault.sol': { content: source } },
    settings: { ...settings, outputSelection: { '*': { '*': outputs, '': ['ast'] } } },
  }
  const key = JSON.stringify(input)
  const output = compiled.get(key) ?? solc.compile(key)
  compiled.set(key, output)
  return { input, output: JSON.parse(output) }
}

/** A deployed contract. */
export interface Deployed {
  readonly chain: TestChain
  /** Sends a transaction, and lets it be pre-confirmed. */
  send(name: string, ...args: readonly unknown[]): Promise<Hex>
  /** Calls by this method; the answer, or the message of the error. */
  ask(method: 'eth_call' | 'eth_estimateGas', name: string, ...args: readonly unknown[]): Promise<unknown>
}

/** Begins to collect, starts a chain and deploys the contract. */
export async function deployVault(info: TestBuildInfo): Promise<Deployed> {
  startCoverage()
  onTestFinished(stopCoverage)
  const chain = await startChain()
  const { abi, evm } = info.output.contracts['contracts/Vault.sol']!['Vault']!
  const from = chain.accounts[0]!.address
  const provider: Provider = chain.live
  const submit = async (transaction: { readonly to?: Hex; readonly data: Hex }): Promise<Hex> => {
    // A fixed limit, so that no estimate is made.
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from, gas: '0x200000', ...transaction }],
    })
    await chain.tick()
    return hash
  }
  const bytecode: Hex = `0x${evm.bytecode.object}`
  const hash = await submit({ data: encodeDeployData({ abi, bytecode, args: [7n] }) })
  const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  const to = receipt!.contractAddress!
  const encode = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi, functionName, args })
  return {
    chain,
    send: (name, ...args) => submit({ to, data: encode(name, args) }),
    ask: (method, name, ...args) =>
      provider
        .request({ method, params: [{ from, to, data: encode(name, args) }] })
        .catch((error: Error) => error.message),
  }
}
