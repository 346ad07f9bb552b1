// SPDX-License-Identifier: MIT
pragma solidity ^0.8.27;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Supply} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Supply.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC4626, IERC20} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

contract Token is ERC20Burnable, ERC20Capped, ERC20Pausable, ERC20Permit, ERC20Votes, Multicall {
    constructor(uint256 cap) ERC20("Token", "TKN") ERC20Capped(cap) ERC20Permit("Token") {}

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }

    function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    function _update(address from, address to, uint256 value)
        internal
        override(ERC20, ERC20Capped, ERC20Pausable, ERC20Votes)
    {
        super._update(from, to, value);
    }
}

contract Shares is ERC4626 {
    constructor(IERC20 asset) ERC20("Shares", "SHR") ERC4626(asset) {}
}

contract Collectible is ERC721Enumerable {
    constructor() ERC721("Collectible", "CLC") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function safeMint(address to, uint256 id) external {
        _safeMint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }
}

contract Items is ERC1155Supply {
    constructor() ERC1155("ipfs://items/{id}") {}

    function mint(address to, uint256 id, uint256 value) external {
        _mint(to, id, value, "");
    }

    function mintBatch(address to, uint256[] memory ids, uint256[] memory values) external {
        _mintBatch(to, ids, values, "");
    }

    function burn(address from, uint256 id, uint256 value) external {
        _burn(from, id, value);
    }
}

contract Holder is ERC721Holder, ERC1155Holder {
    receive() external payable {}
}

/// Accepts neither tokens nor ether.
contract Refuser {
    error Refused();

    function fail(uint256 way) external payable returns (uint256) {
        if (way == 0) revert Refused();
        if (way == 1) revert("Refuser: refused");
        if (way == 2) assert(false);
        if (way == 3) {
            assembly ("memory-safe") {
                revert(0, 0)
            }
        }
        if (way == 4) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        while (way == 5) {}
        return way;
    }
}
