import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Contract, JsonRpcProvider } from 'ethers'
import { createWalletClient, encodeFunctionData, http, publicActions } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Hex } from '../../../src/base/types.ts'
import type { ChainOptions } from '../../../src/core/options.ts'
import { findSolidityTrace, type SolidityTrace, showSolidityTrace } from '../../../src/kits/errors/index.ts'
import { PresealProvider } from '../../../src/kits/ethers/index.ts'
import { serve } from '../../../src/kits/server/index.ts'
import { chainTransport } from '../../../src/kits/viem/index.ts'
import { startChain } from '../../harness.ts'
import { buildInfo, Token } from './bank.ts'

const SEE = ['    at Token.see (contracts/Token.sol:5:5)']
const MOVE = ['    at Token._take (contracts/Token.sol:18:5)', '    at Token.move (contracts/Token.sol:10:5)']

async function start(options: ChainOptions = {}) {
  const chain = await startChain({ mining: 'auto', stackTraces: [buildInfo()], ...options })
  const { address: account } = chain.accounts[0]!
  const client = createWalletClient({ account, transport: chainTransport(chain) }).extend(publicActions)
  const hash = await client.deployContract({ ...Token, chain: null } as never)
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  const address = contractAddress!
  const data = (functionName: string, ...args: unknown[]): Hex =>
    encodeFunctionData({ abi: Token.abi, functionName, args } as never)
  const request = (method: string, data: Hex, fields: object = {}) =>
    chain.standard.request({ method, params: [{ from: account, to: address, data, ...fields }] } as never)
  return { chain, client, account, address, data, request }
}

/** The error that a promise rejects with. */
async function errorOf(promise: Promise<unknown>): Promise<Error & { readonly solidity?: SolidityTrace }> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (error) => error,
  )
}

/** The lines of Solidity in a stack. */
const linesOf = ({ stack = '' }: Error): string[] =>
  stack.split('\n').filter((line) => line.includes('.sol:'))

describe('stackTraces', () => {
  it('adds the trace to failed calls, and changes nothing else of the error', async () => {
    const { data, request } = await start()
    const error = await errorOf(request('eth_call', data('see', 9n)))
    expect(error.solidity).toEqual({
      cause: 'reason',
      message: 'reverted with the reason "too much"',
      frames: [{ name: 'Token.see', file: 'contracts/Token.sol', line: 5, column: 5 }],
      stack: SEE[0],
      notes: [],
    })
    const { solidity: _, ...rest } = error
    expect({ ...rest, message: error.message }).toMatchInlineSnapshot(`
      {
        "code": -32000,
        "data": "0x08c379a000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000008746f6f206d756368000000000000000000000000000000000000000000000000",
        "details": "execution reverted",
        "message": "execution reverted",
        "name": "ExecutionRevertedError",
      }
    `)
    expect(error.stack).toContain(
      `execution reverted\nSolidity: reverted with the reason "too much"\n${SEE[0]}\n    at `,
    )
  })

  it('names a custom error with its arguments', async () => {
    const { data, request } = await start()
    const { solidity } = await errorOf(request('eth_call', data('refuse')))
    expect(solidity).toMatchObject({
      cause: 'custom error',
      message: 'reverted with the custom error Short(0, "gold")',
      stack: '    at Token.refuse (contracts/Token.sol:24:12)',
    })
  })

  it('words failures as Hardhat does, in its dialect', async () => {
    const { account, address, chain, data, request } = await start({ dialect: 'hardhat' })
    const failing = (fields: object) =>
      errorOf(
        chain.standard.request({ method: 'eth_call', params: [{ from: account, to: address, ...fields }] }),
      )
    const refused = await errorOf(request('eth_call', data('refuse')))
    expect([refused, await failing({ data: '0x12345678' }), await failing({ value: '0x1' })]).toMatchObject([
      {
        code: 3,
        message: `VM Exception while processing transaction: reverted with custom error 'Short(0, "gold")'`,
      },
      {
        code: 3,
        message:
          "Transaction reverted: function selector was not recognized and there's no fallback function",
      },
      {
        message:
          "Transaction reverted: function selector was not recognized and there's no fallback nor receive function",
      },
    ])
    expect(linesOf(refused)).toEqual(['    at Token.refuse (contracts/Token.sol:24:12)'])
  })

  it('leaves out the code of a clone', async () => {
    const { chain, address, data, request } = await start()
    const clone = '0x1234567890123456789012345678901234567890'
    const code = `0x363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3` as const
    await chain.setCode(clone, code)
    const { solidity } = await errorOf(request('eth_call', data('see', 9n), { to: clone }))
    expect(solidity).toMatchObject({ cause: 'reason', stack: SEE[0], notes: [] })
  })

  it.each(['eth_estimateGas', 'eth_sendTransaction'])('adds the trace to failures of %s', async (method) => {
    const { data, request } = await start()
    const error = await errorOf(request(method, data('move', 3n)))
    expect(error.solidity?.message).toBe('reverted with the panic 0x11 (arithmetic underflow or overflow)')
    expect(linesOf(error)).toEqual(MOVE)
  })

  it('adds the trace to sends that fail in their block, in the dialect that reports them', async () => {
    const { data, request } = await start({ dialect: 'hardhat' })
    const error = await errorOf(request('eth_sendTransaction', data('move', 3n), { gas: '0x20000' }))
    expect(linesOf(error)).toEqual(MOVE)
  })

  it('adds nothing without the option, with false, and if nothing was executed', async () => {
    for (const stackTraces of [undefined, false] as const) {
      const { data, request } = await start({ stackTraces })
      const error = await errorOf(request('eth_call', data('see', 9n)))
      expect([findSolidityTrace(error), linesOf(error)]).toEqual([undefined, []])
    }
    const { data, request } = await start()
    const error = await errorOf(request('eth_call', data('see', 9n), { gas: '0x1' }))
    expect(findSolidityTrace(error)).toBeUndefined()
  })
})

describe('the errors of clients', () => {
  it('have the trace in viem as the last cause, and on top after showSolidityTrace', async () => {
    const { client, address } = await start()
    const call = { abi: Token.abi, address, functionName: 'see', args: [9n] } as const
    const error = await errorOf(client.readContract(call as never))
    expect(linesOf(error)).toEqual([])
    expect(findSolidityTrace(error)?.stack).toBe(SEE[0])
    expect(showSolidityTrace(error)).toBe(error)
    expect(linesOf(showSolidityTrace(error))).toEqual(SEE)
    const { message } = error
    const write = await errorOf(client.writeContract({ ...call, functionName: 'move', chain: null } as never))
    expect(message).toContain('too much')
    expect(linesOf(showSolidityTrace(write))).toEqual(MOVE)
  })

  it('have the trace in ethers on top, and for calls of contracts after showSolidityTrace', async () => {
    const { chain, address } = await start()
    const provider = new PresealProvider(chain)
    onTestFinished(() => provider.destroy())
    const token = new Contract(address, Token.abi, await provider.getSigner(0))
    expect(linesOf(await errorOf(token['move']!(3n)))).toEqual(MOVE)
    expect(linesOf(showSolidityTrace(await errorOf(token['see']!(9n))))).toEqual(SEE)
  })

  it('have no trace in contracts of ethers while the same call fails in other lines of another open chain', async () => {
    const renamed = JSON.parse(JSON.stringify(buildInfo()).replaceAll('Token.sol', 'Coin.sol'))
    const callOn = async (info: object) => {
      const { chain, address, data } = await start({ stackTraces: [info] })
      const provider = new PresealProvider(chain)
      onTestFinished(() => provider.destroy())
      const token = new Contract(address, Token.abi, provider)
      return { chain, address, provider, data: data('see', 9n), call: () => errorOf(token['see']!(9n)) }
    }
    const [first, second] = [await callOn(buildInfo()), await callOn(renamed)]
    expect(second.address).toBe(first.address)
    const [before, after] = [await first.call(), await second.call()]
    expect(findSolidityTrace(before)).toBeUndefined()
    expect(findSolidityTrace(after)).toBeUndefined()
    // The errors of the provider have their own.
    const call = { to: first.address, data: first.data }
    expect(linesOf(await errorOf(first.provider.call(call)))).toEqual(SEE)
    expect(linesOf(await errorOf(second.provider.call(call)))).toEqual([
      SEE[0]!.replace('Token.sol', 'Coin.sol'),
    ])

    await second.chain.close()
    expect(findSolidityTrace(before)?.stack).toBe(SEE[0])
  })

  it('have the trace over HTTP, beside data that stays as it is', async () => {
    const { chain, address, data, account, request } = await start()
    const server = await serve(chain, { port: 0 })
    onTestFinished(() => server.close())
    const client = createWalletClient({ account, transport: http(server.url) }).extend(publicActions)
    const viem = await errorOf(client.call({ to: address, data: data('see', 9n) }))
    expect(linesOf(showSolidityTrace(viem))).toEqual(SEE)
    const provider = new JsonRpcProvider(server.url)
    onTestFinished(() => provider.destroy())
    const ethers = await errorOf(provider.estimateGas({ from: account, to: address, data: data('move', 3n) }))
    expect(linesOf(showSolidityTrace(ethers))).toEqual(MOVE)
    const params = [{ to: address, data: data('see', 9n) }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    const headers = { 'content-type': 'application/json' }
    const answer = await (await fetch(server.url, { method: 'POST', body, headers })).json()
    const local = (await errorOf(request('eth_call', data('see', 9n)))) as never as Record<string, unknown>
    const { code, message, data: output, solidity } = local as never as Record<string, unknown>
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code, message: (local as never as Error).message ?? message, data: output, solidity },
    })
  })
})

describe('a folder of build info', () => {
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'preseal-solidity-'))
    onTestFinished(() => rmSync(path, { recursive: true }))
    mkdirSync(join(path, 'build-info'))
    return path
  }

  it('is read at the first failure, and again if its files have changed', async () => {
    const path = folder()
    const { data, request } = await start({ stackTraces: path })
    const before = await errorOf(request('eth_call', data('see', 9n)))
    expect(before.solidity?.notes).toContain(`there is no build info in ${path}`)
    writeFileSync(join(path, 'build-info', 'a.json'), JSON.stringify(buildInfo()))
    expect(linesOf(await errorOf(request('eth_call', data('see', 9n))))).toEqual(SEE)
  })

  it("may have Hardhat 3's files, of which one has the input and another the output", async () => {
    const path = folder()
    const { input, output } = buildInfo()
    const source = 'project/contracts/Token.sol'
    const rename = (record: object): object =>
      Object.fromEntries(Object.values(record).map((one) => [source, one]))
    const info = { _format: 'hh3-sol-build-info-1', input: { ...input, sources: rename(input.sources) } }
    const result = { contracts: rename(output.contracts), sources: rename(output.sources) }
    writeFileSync(join(path, 'build-info', 'a.json'), JSON.stringify(info))
    writeFileSync(join(path, 'build-info', 'a.output.json'), JSON.stringify({ output: result }))
    const { data, request } = await start({ stackTraces: path })
    expect(linesOf(await errorOf(request('eth_call', data('see', 9n))))).toEqual(SEE)
  })
})

describe('a project of several chains', () => {
  it('is prepared once, and only codes that are exactly its own share what is known of them', async () => {
    let reads = 0
    const { input, output } = buildInfo()
    const info = {
      input,
      get output() {
        reads++
        return output
      },
    }
    const stackTraces = [info]
    const first = await start({ stackTraces })
    const seen = await errorOf(first.request('eth_call', first.data('see', 9n)))
    const readsOfFirst = reads
    await first.chain.close()
    const { chain, client, address, data, request } = await start({ stackTraces })
    expect(linesOf(await errorOf(request('eth_call', data('see', 9n))))).toEqual(linesOf(seen))
    const code = (await client.getCode({ address }))!
    await chain.setCode(address, code.replace(/(6970667358221220).{64}/, `$1${'0'.repeat(64)}`) as Hex)
    const { solidity } = await errorOf(request('eth_call', data('see', 9n)))
    expect(solidity).toMatchObject({
      stack: SEE[0],
      notes: ["the metadata of Token differs from the build info's"],
    })
    expect(linesOf(seen)).toEqual(SEE)
    expect(reads).toBe(readsOfFirst)
  })
})

describe('build info that does not fit', () => {
  type Info = ReturnType<typeof buildInfo>
  const runtimeOf = ({ output }: Info) =>
    output.contracts['contracts/Token.sol']!['Token'] as never as {
      evm: { deployedBytecode: { sourceMap: string; object: string } }
    }
  const changed: Readonly<Record<string, (info: Info) => void>> = {
    'no contracts': (info) => Object.assign(info.output, { contracts: {} }),
    'other code': (info) => {
      const { deployedBytecode } = runtimeOf(info).evm
      deployedBytecode.object = `00${deployedBytecode.object.slice(2)}`
    },
    'another hash of the metadata': (info) => {
      const { deployedBytecode } = runtimeOf(info).evm
      deployedBytecode.object = deployedBytecode.object.replace(
        /(6970667358221220)(.{64})/,
        `$1${'0'.repeat(64)}`,
      )
    },
    'a truncated source map': (info) => {
      const { deployedBytecode } = runtimeOf(info).evm
      deployedBytecode.sourceMap = deployedBytecode.sourceMap.slice(0, 100)
    },
    'a malformed source map': (info) => {
      runtimeOf(info).evm.deployedBytecode.sourceMap = 'x:y:z;;;'
    },
    'no source map': (info) => Reflect.deleteProperty(runtimeOf(info).evm.deployedBytecode, 'sourceMap'),
    'no sources': (info) => Object.assign(info.input, { sources: {} }),
    'numbers for objects': (info) =>
      Object.assign(info, { input: 7, output: { contracts: { a: 5 }, sources: 3 } }),
  }

  it('gives notes, and the same answer', async () => {
    const seen: Record<string, unknown> = {}
    for (const [name, change] of Object.entries(changed)) {
      const info = buildInfo()
      change(info)
      const { data, request } = await start({ stackTraces: [info] })
      const error = await errorOf(request('eth_call', data('see', 9n)))
      const { code, message, data: output } = error as never as { code: number; message: string; data: Hex }
      expect([code, message, output.slice(0, 10)]).toEqual([-32000, 'execution reverted', '0x08c379a0'])
      const { stack, notes } = error.solidity!
      seen[name] = [stack, ...notes].map((line) => line.replace(/0x\w{40}/, '<address>'))
    }
    expect(seen).toMatchInlineSnapshot(`
      {
        "a malformed source map": [
          "    at Token (contracts/Token.sol:1:1)",
          "the source map of Token ends after 0 instructions, before its code",
        ],
        "a truncated source map": [
          "    at Token (contracts/Token.sol:1:1)",
          "the source map of Token ends after 66 instructions, before its code",
        ],
        "another hash of the metadata": [
          "    at Token.see (contracts/Token.sol:5:5)",
          "the metadata of Token differs from the build info's",
        ],
        "no contracts": [
          "    at <unknown contract> (<address>)",
          "no contract of the build info has the code of <address>",
        ],
        "no source map": [
          "    at Token (contracts/Token.sol:1:1)",
          "the source map of Token ends after 0 instructions, before its code",
        ],
        "no sources": [
          "    at Token (contracts/Token.sol)",
          "the build info lacks the source of Token",
        ],
        "numbers for objects": [
          "    at <unknown contract> (<address>)",
          "no contract of the build info has the code of <address>",
        ],
        "other code": [
          "    at <unknown contract> (<address>)",
          "no contract of the build info has the code of <address>",
        ],
      }
    `)
  })

  it('cuts a reason of 24 kB', async () => {
    const { data, request } = await start()
    const error = await errorOf(request('eth_call', data('fail', 'x'.repeat(24_000))))
    expect(error.solidity?.message).toBe(`reverted with the reason "${'x'.repeat(1000)}… (24000 characters)"`)
    expect(linesOf(error)).toEqual(['    at Token.fail (contracts/Token.sol:14:5)'])
  })
})
