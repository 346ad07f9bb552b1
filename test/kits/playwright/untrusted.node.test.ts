/** Pages that a test does not trust: what they cannot do to the chain, to other pages and to the process of the test. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InvalidOptionError } from '../../../src/index.ts'
import { DAPP, eventsOf, openDapp, recordEvents, request, transfer, useBrowser } from './support.ts'

const OTHER = 'http://other.test'

/** Sends a message to the wallet as a script of the page can, without the wallet's own script. */
const sendRaw = (document: Pick<Page, 'evaluate'>, message: unknown): Promise<unknown> =>
  document.evaluate(
    async (text) => JSON.parse(await Reflect.get(globalThis, '__presealWallet')(text)),
    typeof message === 'string' ? message : JSON.stringify(message),
  )

describe('a page', () => {
  useBrowser()

  it('cannot use cheats, nor send for an account without a prompt', async () => {
    const { chain, wallet, page } = await openDapp({ prompts: 'hold' })
    const refused = (method: string) => ({
      name: 'MethodNotOfferedError',
      code: 4200,
      message: `pages cannot use ${method}: expected a call in the test, or walletOptions: { cheats: true }`,
    })
    const before = await chain.standard.request({ method: 'anvil_dumpState' })
    for (const [method, params] of [
      ['eth_sendUnsignedTransaction', [transfer(chain)]],
      ['anvil_setBalance', [chain.accounts[0].address, '0x1']],
      ['anvil_impersonateAccount', [chain.accounts[0].address]],
      ['anvil_reset', []],
      ['evm_snapshot', []],
    ] as const) {
      expect(await request(page, method, params)).toEqual(refused(method))
    }
    await chain.tick()
    expect(wallet.openPrompts).toEqual([])
    expect(await chain.standard.request({ method: 'anvil_dumpState' })).toEqual(before)
  })

  it('can use cheats if the test says so, but never names the URL of a node', async () => {
    const { chain, page } = await openDapp({ cheats: true })
    const asked: string[] = []
    const server = createServer(({ url }, response) => {
      asked.push(`${url}`)
      response.end('internal secret')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const jsonRpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/admin`
    const [alice] = chain.accounts
    expect(await request(page, 'anvil_setBalance', [alice.address, '0x5'])).toBe(true)
    expect(await request(page, 'eth_getBalance', [alice.address])).toBe('0x5')
    expect(await request(page, 'anvil_reset', [{ forking: { jsonRpcUrl } }])).toEqual({
      name: 'PageForkUrlError',
      code: -32602,
      message: 'pages cannot name the URL of a node to fork: expected a call in the test',
    })
    expect(asked).toEqual([])
  })

  it('gets nothing by messages of its own, which end no other document and fail no test', async () => {
    const { chain, wallets, context, page } = await openDapp()
    expect(await request(page, 'eth_requestAccounts')).toEqual([chain.accounts[0].address])
    const foreign = await context.newPage()
    await foreign.goto(OTHER)
    await recordEvents(foreign)
    const accounts = { type: 'request', view: 'live', document: 'x', args: { method: 'eth_accounts' } }
    expect(await sendRaw(foreign, { ...accounts, origin: DAPP })).toEqual({
      error: { name: 'DisconnectedError', code: 4900, message: 'disconnected' },
    })
    const invalid = (expected: string) => ({
      error: { name: 'InvalidRequestError', code: -32600, message: `invalid request: expected ${expected}` },
    })
    for (const message of ['{', 'null', { type: 'hello', document: 'x', origin: DAPP, token: '' }])
      expect(await sendRaw(foreign, message)).toEqual(invalid("a message of the wallet's script"))
    expect(await sendRaw(foreign, { ...accounts, view: 'constructor' })).toEqual(
      invalid('a view that the wallet has'),
    )
    // Its own document goes on.
    expect(await request(foreign, 'eth_accounts')).toEqual([])
    await chain.standard.request({ method: 'anvil_setChainId', params: [7] })
    expect(await eventsOf(foreign, 1)).toEqual([['chainChanged', '0x7']])
    await wallets.end()
  })

  it('shares what was permitted with no document of an opaque origin, and these not with each other', async () => {
    const { chain, wallet, context, page } = await openDapp()
    const alice = [chain.accounts[0].address]
    await page.goto(`${DAPP}/unnamed`)
    await request(page, 'eth_requestAccounts')
    const [sandboxed, written] = [page.frame('sandboxed')!, page.frame('written')!]
    const data = await context.newPage()
    await data.goto('data:text/html,<p>')
    const origins: string[] = []
    wallet.onPrompt(({ origin }) => origins.push(origin))
    expect(await request(sandboxed, 'eth_accounts')).toEqual([])
    expect(await request(sandboxed, 'eth_requestAccounts')).toEqual(alice)
    expect(await request(sandboxed, 'eth_accounts')).toEqual(alice)
    expect(await request(written, 'eth_accounts')).toEqual([])
    expect(await request(data, 'eth_accounts')).toEqual([])
    expect(origins).toEqual(['null'])
    await expect(wallet.connect({ origin: 'null' })).rejects.toThrow(
      new InvalidOptionError('origin', 'an origin that several documents can have'),
    )
    await wallet.connect()
    expect(await request(data, 'eth_accounts')).toEqual(alice)
  })

  it('shares what was permitted with the documents that have its origin without a URL', async () => {
    const { chain, context, page } = await openDapp()
    const alice = [chain.accounts[0].address]
    await page.goto(`${DAPP}/unnamed`)
    await request(page, 'eth_requestAccounts')
    expect(await request(page.frame('srcdoc')!, 'eth_accounts')).toEqual(alice)
    expect(await request(page.frame('blank')!, 'eth_accounts')).toEqual(alice)
    const opened = context.waitForEvent('page')
    await page.evaluate(() => void Reflect.get(globalThis, 'open')('about:blank'))
    expect(await request(await opened, 'eth_accounts')).toEqual(alice)
  })
})
