import {
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  publicActions,
  toHex,
} from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainOptions, Hash, Hex } from '../../../src/index.ts'
import { explanationToHtml, explanationToText } from '../../../src/inspect/explain/index.ts'
import type { SolidityTrace } from '../../../src/kits/errors/index.ts'
import { chainTransport } from '../../../src/kits/viem/index.ts'
import { startChain } from '../../harness.ts'
import { buildInfo, Token } from '../solidity/bank.ts'

const MESSAGE = 'reverted with the panic 0x11 (arithmetic underflow or overflow)'
const STACK = '    at Token._take (contracts/Token.sol:18:5)\n    at Token.move (contracts/Token.sol:10:5)'
const SOLIDITY: SolidityTrace = {
  cause: 'panic',
  message: MESSAGE,
  frames: [
    { name: 'Token._take', file: 'contracts/Token.sol', line: 18, column: 5 },
    { name: 'Token.move', file: 'contracts/Token.sol', line: 10, column: 5 },
  ],
  stack: STACK,
  notes: [],
}

async function start(options: ChainOptions = {}) {
  const chain = await startChain({ stackTraces: [buildInfo()], ...options })
  const { address: from } = chain.accounts[0]!
  const client = createWalletClient({ account: from, transport: chainTransport(chain) }).extend(publicActions)
  const deployment = await client.deployContract({ ...Token, chain: null } as never)
  await chain.seal()
  const { contractAddress } = await client.getTransactionReceipt({ hash: deployment })
  const to = contractAddress!
  const data = encodeFunctionData({ abi: Token.abi, functionName: 'move', args: [1n] } as never)
  const send = (): Promise<Hash> =>
    chain.preconf.request({
      method: 'eth_sendTransaction',
      params: [{ from, to, data, gas: '0x186a0' }],
    })
  return { chain, from, to, data, send }
}

describe('the lines of Solidity of an explanation', () => {
  it('are there for a failed transaction at each stage, and for a failed call', async () => {
    const { chain, from, to, data, send } = await start()
    const hash = await send()
    const waiting = await chain.explain(hash)
    await chain.tick()
    const preconfirmed = await chain.explain(hash)
    await chain.seal()
    const sealed = await chain.explain(hash)
    const call = await chain.explain({ from, to, data })
    expect([waiting, preconfirmed, sealed, call].map(({ stage, solidity }) => ({ stage, solidity }))).toEqual(
      ['waiting', 'preconfirmed', 'sealed', 'call'].map((stage) => ({ stage, solidity: SOLIDITY })),
    )
  })

  it('are those of the execution in the block, whatever the state is now', async () => {
    const { chain, from, to, data, send } = await start()
    const hash = await send()
    await chain.seal()
    const place = [{ type: 'address' }, { type: 'uint256' }] as const
    const slot: Hex = keccak256(encodeAbiParameters(place, [from, 0n]))
    await chain.standard.request({
      method: 'hardhat_setStorageAt',
      params: [to, slot, toHex(5n, { size: 32 })],
    })
    expect((await chain.explain({ from, to, data })).succeeded).toBe(true)
    expect((await chain.explain(hash)).solidity).toEqual(SOLIDITY)
  })

  it('show no control characters or directions of writing of a reason', async () => {
    const { chain, from, to } = await start()
    const args = ['\u009b31mred \u202egnp']
    const data = encodeFunctionData({ abi: Token.abi, functionName: 'fail', args } as never)
    const explanation = await chain.explain({ from, to, data })
    for (const shown of [explanationToText(explanation, { colors: false }), explanationToHtml(explanation)]) {
      expect(shown).not.toMatch(/[\u009b\u202e]/)
      expect(shown).toContain('\\u009b31mred \\u202egnp')
    }
  })

  it('are absent if it succeeded, and without the option', async () => {
    const { chain, from, to, data } = await start({ stackTraces: false })
    const failed = await chain.explain({ from, to, data })
    expect([failed.succeeded, 'solidity' in failed]).toEqual([false, false])
    const { chain: other } = await start()
    expect('solidity' in (await other.explain({ from, to: from }))).toBe(false)
  })

  it('stand below the tree in text, and in a section of the page', async () => {
    const { chain, from, to, data } = await start()
    const explanation = await chain.explain({ from, to, data })
    const text = explanationToText(explanation, { colors: false })
    expect(text.slice(text.indexOf('Solidity:'))).toBe(`Solidity: ${MESSAGE}\n${STACK}\n`)
    const bare = { ...explanation, solidity: { ...SOLIDITY, stack: '' } }
    const noted = { ...explanation, solidity: { ...SOLIDITY, stack: '', notes: ['<unknown> source'] } }
    const notedText = explanationToText(noted, { colors: false })
    expect(notedText.slice(notedText.indexOf('Solidity:'))).toBe(`Solidity: ${MESSAGE}\n(<unknown> source)\n`)
    const section = (html: string) => html.slice(html.indexOf('<section>'), html.indexOf('</main>'))
    expect(section(explanationToHtml(explanation))).toBe(
      `<section><h2>Solidity: ${MESSAGE}</h2>\n<ul>${STACK.split('\n')
        .map((line) => `<li>${line}</li>`)
        .join('\n')}</ul></section>\n`,
    )
    expect(section(explanationToHtml(bare))).toContain(`<h2>Solidity: ${MESSAGE}</h2>`)
    expect(section(explanationToHtml(noted))).toContain('<ul><li>(&lt;unknown&gt; source)</li></ul>')
  })
})
