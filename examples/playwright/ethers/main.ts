/** A small dapp of ethers: it uses `window.ethereum` alone, and shows a balance twice, pre-confirmed and sealed. */
import { BrowserProvider, type Eip1193Provider, formatEther, isError, parseEther } from 'ethers'

declare global {
  var ethereum: Eip1193Provider
}

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

const provider = new BrowserProvider(ethereum, undefined, { pollingInterval: 100, cacheTimeout: -1 })

function show(id: string, text: string): void {
  document.getElementById(id)!.textContent = text
}

/** Shows the outcome of a button's action. */
function onClick(id: string, action: () => Promise<string>): void {
  document.getElementById(id)!.addEventListener('click', async () => {
    try {
      show('status', await action())
    } catch (error) {
      show('status', isError(error, 'ACTION_REJECTED') ? 'You rejected it.' : String(error))
    }
  })
}

onClick('connect', async () => {
  const signer = await provider.getSigner()
  show('account', `Connected as ${signer.address}`)
  return 'connected'
})

onClick('send', async () => {
  const signer = await provider.getSigner()
  const { hash } = await signer.sendTransaction({ to: BOB, value: parseEther('1') })
  show('status', 'sent')
  const receipt = await provider.waitForTransaction(hash)
  return `in block ${receipt?.blockNumber}`
})

async function showBalances(): Promise<void> {
  show('preconfirmed', `Pre-confirmed: ${formatEther(await provider.getBalance(BOB, 'pending'))}`)
  show('sealed', `Sealed: ${formatEther(await provider.getBalance(BOB, 'latest'))}`)
  setTimeout(showBalances, 100)
}
void showBalances()
