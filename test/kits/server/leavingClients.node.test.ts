/** Clients over HTTP that leave before their requests are answered. */
import { request as httpRequest } from 'node:http'
import { toHex } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { Missing } from '../../../src/base/waiting.ts'
import { serve } from '../../../src/kits/server/index.ts'
import { startChain } from '../../harness.ts'
import { ENDLESS, startBusy } from '../../rpc/busyChain.ts'
import { ask } from '../../rpc/scene.ts'

/** Sends a request over a connection of its own. @returns a function that cuts it off, and resolves once it is. */
function post(url: string, method: string, params: readonly unknown[]): () => Promise<void> {
  const request = httpRequest(url, { method: 'POST', headers: { 'Content-Type': 'application/json' } })
  const left = new Promise<void>((resolve) => request.on('error', () => resolve()))
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  return () => {
    request.destroy()
    return left
  }
}

const CONTRACT = `0x${'c0de'.padStart(40, '0')}`

it('gives up the turn of a client that disconnects, and does not send its transaction', async () => {
  let load = (): void => {}
  let isAsked = (): void => {}
  let isHeld = true
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const loaded = new Promise<void>((resolve) => {
    load = resolve
  })
  // The first estimate loads something, until the test lets it.
  const chain = await startChain(
    {},
    {
      executor: (own) => ({
        ...own,
        execute(...args) {
          if (!isHeld) return own.execute(...args)
          isHeld = false
          throw new Missing(() => {
            isAsked()
            return loaded
          })
        },
      }),
    },
  )
  await ask(chain.preconf, 'anvil_setCode', [CONTRACT, '0x00'])
  const server = await serve(chain, { port: 0 })
  onTestFinished(() => server.close())
  const [from, other] = chain.accounts.map(({ address }) => address)

  const leave = post(server.url, 'eth_sendTransaction', [{ from, to: CONTRACT }])
  await asked
  const next = ask(chain.preconf, 'eth_sendTransaction', [{ from, to: other, gas: '0x5208' }])
  // Another sender waits for nobody, and the turn is still held.
  expect(await ask(chain.preconf, 'eth_sendTransaction', [{ from: other, to: from }])).toMatch(/^0x/)
  expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  const mined = ask(chain.preconf, 'evm_mine', [])
  await leave()
  const hash = await next
  expect(await mined).toBe('0x0')
  load()
  await chain.seal()
  expect(await ask(chain.preconf, 'eth_getTransactionByHash', [hash])).toMatchObject({
    nonce: '0x0',
    blockNumber: '0x1',
  })
  expect(await ask(chain.preconf, 'eth_getTransactionCount', [from, 'pending'])).toBe('0x1')
  expect(await ask(chain.preconf, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})

it('ends a call when its client disconnects', async () => {
  const gasCap = 10n ** 15n
  const { chain, isBusy } = await startBusy({ limits: { gasCap } })
  const server = await serve(chain, { port: 0 })
  onTestFinished(() => server.close())
  const leave = post(server.url, 'eth_call', [{ to: ENDLESS, gas: toHex(gasCap) }, 'latest'])
  for (let busy = 0; busy < 1; ) busy = (await isBusy()) ? busy + 1 : 0
  await leave()
  // It would go on for days.
  for (let idle = 0; idle < 2; ) idle = (await isBusy()) ? 0 : idle + 1
  expect(await ask(chain.standard, 'eth_chainId')).toBe('0x7a69')
})
