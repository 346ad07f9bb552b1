/** The chain at the URL of an app's own node. */

import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { openDapp, useBrowser } from './support.ts'

const URL = 'https://node.test/v1'

/** Sends an HTTP request from the page, which the policy of a page has to allow. @returns status and body. */
const post = (page: Page, body: string, method = 'POST') =>
  page.evaluate(
    async ([url, method, body]) => {
      const headers = { 'Content-Type': 'application/json' }
      const response = await fetch(url, { method, headers, ...(method === 'POST' && { body }) })
      return [response.status, await response.text()]
    },
    [URL, method, body] as const,
  )

describe('the URL of a node', () => {
  useBrowser()

  it('answers pages of other origins from the chain, one request or several', async () => {
    const { chain, wallets, page } = await openDapp({ rpcUrl: URL })
    await page.goto('about:blank')
    const request = (id: number, method: string, params: unknown = []) => ({
      jsonrpc: '2.0',
      id,
      method,
      params,
    })
    const answers = await post(page, JSON.stringify([request(1, 'eth_chainId'), request(2, 'eth_unknown')]))
    expect(answers).toEqual([
      200,
      JSON.stringify([
        { jsonrpc: '2.0', id: 1, result: '0x7a69' },
        {
          jsonrpc: '2.0',
          id: 2,
          error: { code: -32601, message: 'the method eth_unknown does not exist/is not available' },
        },
      ]),
    ])
    const exact = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}'
    expect(await post(page, exact)).toEqual([
      200,
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":"0x7a69"}',
    ])
    expect(await post(page, '{"jsonrpc":"2.0","method":"eth_chainId"}')).toEqual([204, ''])
    expect(await post(page, '[]')).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}',
    ])
    expect(await post(page, '{"jsonrpc":"2.0","id":{"a":1},"method":"eth_chainId"}')).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a string, a number or null as id"}}',
    ])
    const tooLong = JSON.stringify(request(1, 'eth_call', ['x'.repeat(5_300_000)]))
    expect(await post(page, tooLong)).toEqual([
      413,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request too large: limit 5242880 bytes"}}',
    ])
    await chain.setBalance(chain.accounts[0].address, 5n)
    const balance = request(3, 'eth_getBalance', [chain.accounts[0].address])
    expect(await post(page, JSON.stringify(balance))).toEqual([
      200,
      '{"jsonrpc":"2.0","id":3,"result":"0x5"}',
    ])
    expect(await post(page, '{')).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}',
    ])
    expect(await post(page, '1')).toEqual([
      200,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected an object"}}',
    ])
    expect(await post(page, '', 'GET')).toEqual([
      405,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method not allowed: requests are sent by POST"}}',
    ])
    await wallets.end()
    await page.route(URL, (route) => route.abort())
    await expect(post(page, '{}')).rejects.toThrow('Failed to fetch')
  })

  it('has no cheats and no accounts there, unless the test says so', async () => {
    const { chain, page } = await openDapp({ rpcUrl: URL })
    await page.goto('about:blank')
    const [alice, bob] = chain.accounts.map(({ address }) => address)
    const ask = async (on: Page, method: string, params: unknown = []) => {
      const [, text] = await post(on, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      const { result, error } = JSON.parse(`${text}`)
      return error ?? result
    }
    const send = [{ from: alice, to: bob, value: '0x1' }]
    const refused = (method: string) => ({
      code: 4200,
      message: `pages cannot use ${method}: expected a call in the test, or walletOptions: { cheats: true }`,
    })
    for (const method of ['eth_sendTransaction', 'eth_sendUnsignedTransaction', 'anvil_setBalance'])
      expect(await ask(page, method, send)).toEqual(refused(method))
    expect(await ask(page, 'eth_accounts')).toEqual([])

    const cheating = await openDapp({ rpcUrl: URL, cheats: true })
    await cheating.page.goto('about:blank')
    expect(await ask(cheating.page, 'anvil_setBalance', [alice, '0x5'])).toBe(true)
    expect(await ask(cheating.page, 'eth_accounts')).toHaveLength(10)
    const forking = [{ forking: { jsonRpcUrl: 'http://127.0.0.1:1' } }]
    for (const on of [page, cheating.page]) {
      expect(await ask(on, 'anvil_reset', forking)).toEqual({
        code: -32602,
        message: 'pages cannot name the URL of a node to fork: expected a call in the test',
      })
    }
  })
})
