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
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: expected a string as method"}}',
    ])
    expect(await post(page, '', 'GET')).toEqual([405, ''])
    await wallets.end()
    await page.route(URL, (route) => route.abort())
    await expect(post(page, '{}')).rejects.toThrow('Failed to fetch')
  })
})
